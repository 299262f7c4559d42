import test from 'ava';
import { json, scripted } from './scripted-server.js';

const pageOf = (ids: string[], next: string | null) =>
  json({ contacts: ids.map((id) => ({ id })), pagination: { next } });

test('a list is a promise of its first page, and all entries of all pages', async (t) => {
  const replies = [pageOf(['a', 'b'], 'n1'), pageOf([], 'n2'), pageOf(['c'], null)];
  const { roster, received } = await scripted(t, replies);
  const list = roster.contacts.list({ tag: ['vip', 'x'], limit: 2, offset: 4 });
  const { contacts, pagination } = await list;
  t.deepEqual(
    contacts.map(({ id }) => id),
    ['a', 'b'],
  );
  t.is(pagination.next, 'n1');
  const all: string[] = [];
  for await (const { id } of list) all.push(id);
  t.deepEqual(all, ['a', 'b', 'c']);
  t.deepEqual(
    received.map(({ url }) => url),
    [
      '/v1/contacts?tag=vip&tag=x&limit=2&offset=4',
      '/v1/contacts?tag=vip&tag=x&limit=2&after=n1',
      '/v1/contacts?tag=vip&tag=x&limit=2&after=n2',
    ],
  );
});

test('a loop that ends early requests no further page', async (t) => {
  const { roster, received } = await scripted(t, [pageOf(['a', 'b'], 'n1')]);
  for await (const { id } of roster.contacts.list()) if (id === 'b') break;
  t.is(received.length, 1);
});

test('the event log ends where there is nothing more, although it has a next position', async (t) => {
  const page = (hasMore: boolean) =>
    json({ events: [{ id: 'evt_1' }], pagination: { next: 'evt_1', hasMore } });
  const { roster, received } = await scripted(t, [page(true), page(false)]);
  let events = 0;
  for await (const _ of roster.eventLog.list({ kinds: ['CONTACT_CREATED', 'CONTACT_DELETED'] }))
    events += 1;
  t.is(events, 2);
  t.is(received[0]!.url, '/v1/events?kinds=CONTACT_CREATED&kinds=CONTACT_DELETED');
});

test('a list without pages is iterable as well', async (t) => {
  const { roster } = await scripted(t, [json({ webhooks: [{ id: 'wh_1' }] })]);
  for await (const { id } of roster.webhooks.list()) t.is(id, 'wh_1');
});

test('properties and other parameters are encoded as the gateway reads them', async (t) => {
  const { roster, received } = await scripted(t, [pageOf([], null)]);
  await roster.contacts.list({
    property: { city: 'São:Paulo&', age: ['gte:1', 'lt:9'] },
    q: undefined,
    limit: 1,
  });
  t.is(
    received[0]!.url,
    '/v1/contacts?property=city%3AS%C3%A3o%3APaulo%26&property=age%3Agte%3A1&property=age%3Alt%3A9&limit=1',
  );
});
