import { Json } from '@roster/bus';
import { operations, paginationBytesMax, type Operation } from '@roster/contracts';
import test from 'ava';
import { linksMax } from '../../rest/page-links.js';
import { createdAt, webhookId } from '../stub-results.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

/** The Link header of a response to a path, from the pagination of the stub. */
async function linksOf(
  operation: string,
  path: string,
  pagination: object,
  entries: unknown[] = [],
): Promise<Record<string, string> | null> {
  gateway().stubs.answer(operation, () => new Json(JSON.stringify({ entries, pagination })));
  const response = await gateway().send(path);
  if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
  const header = response.headers.get('link');
  return header === null
    ? null
    : Object.fromEntries(
        header.split(', ').map((link) => {
          const [, reference = '', rel = ''] = /^<([^<>"\\^`{|} ]*)>; rel="(\w+)"$/.exec(link)!;
          return [rel, reference];
        }),
      );
}

test.serial('links to the next and the first page, relative to the request', async (t) => {
  const contacts = (path: string, pagination: object) => linksOf('contacts.list', path, pagination);
  t.deepEqual(await contacts('/v1/contacts', { total: 9, limit: 50, offset: 0, next: 'abc' }), {
    first: 'contacts',
    next: 'contacts?after=abc',
  });
  t.deepEqual(await contacts('/v1/contacts?', { next: null }), { first: 'contacts' });
  t.deepEqual(await contacts('/v1/contacts?after=x&limit=2&offset=7', { next: 'abc' }), {
    first: 'contacts?limit=2',
    next: 'contacts?limit=2&after=abc',
  });
  t.deepEqual(await contacts('/v1/contacts?limit=2', {}), { first: 'contacts?limit=2' });
  const [get, head, failed] = await Promise.all([
    gateway().send('/v1/contacts?limit=2'),
    gateway().send('/v1/contacts?limit=2', { method: 'HEAD' }),
    gateway().send('/v1/contacts?limit=0'),
  ]);
  t.is(head.headers.get('link'), get.headers.get('link'));
  t.is(failed.headers.get('link'), null);
});

test.serial(
  'keeps the parameters that select the list, repeated ones too, and encodes them',
  async (t) => {
    const query = 'tag=a,b&tag=%C3%A4%20%3E%22&property[city]=New+York&q=%26rel%3D&sort=email';
    const links = await linksOf('contacts.find', `/v1/contacts?${query}&after=email.YQ`, {
      next: 'email.YWRh&"<>',
    });
    const { searchParams } = new URL(
      links!['next']!,
      'http://roster.example/v1/contacts?after=old',
    );
    t.deepEqual([...searchParams], [...new URLSearchParams(query), ['after', 'email.YWRh&"<>']]);
  },
);

test.serial('links deliveries in both directions', async (t) => {
  const path = `/v1/webhooks/${webhookId}/deliveries`;
  const query = `status=dead&since=${createdAt}`;
  const kept = `status=dead&since=${encodeURIComponent(createdAt)}`;
  const links = await linksOf('deliveries.list', `${path}?${query}&before=x&from=oldest`, {
    limit: 50,
    next: 'older',
    previous: 'newer',
  });
  t.deepEqual(links, {
    first: `deliveries?${kept}`,
    prev: `deliveries?${kept}&before=newer&from=oldest`,
    next: `deliveries?${kept}&after=older`,
  });
  t.is(new URL(links!['next']!, `http://roster.example${path}?before=x`).pathname, path);
});

test.serial(
  'the last page of the event log has no link to the next one, although it has a cursor',
  async (t) => {
    const pagination = { limit: 50, next: 'abc' };
    const events = (hasMore: boolean) =>
      linksOf('event-log.list', '/v1/events', { ...pagination, hasMore });
    t.deepEqual(await events(true), { first: 'events', next: 'events?after=abc' });
    t.deepEqual(await events(false), { first: 'events' });
  },
);

test.serial('does not take the text of an entry for the pagination', async (t) => {
  const entries = [{ name: '"pagination":{"next":"wrong"}', pagination: { next: 'wrong' } }];
  const links = await linksOf('contacts.list', '/v1/contacts', { next: null }, entries);
  t.deepEqual(links, { first: 'contacts' });
  const large = [{ name: 'x'.repeat(paginationBytesMax) }];
  const pagination = { total: Number.MAX_SAFE_INTEGER, next: 'n'.repeat(512) };
  t.is(
    (await linksOf('contacts.list', '/v1/contacts', pagination, large))!['next'],
    `contacts?after=${'n'.repeat(512)}`,
  );
});

test.serial('omits all links if they are too long for a header', async (t) => {
  const path = (length: number) =>
    `/v1/contacts?q=${'q'.repeat(254)}&tag=${'%C3%A4'.repeat(length)}`;
  const tags = (count: number) => Array.from({ length: count }, () => `tag=${'%C3%A4'.repeat(64)}`);
  const links = (count: number) =>
    linksOf('contacts.find', `${path(1)}&${tags(count).join('&')}`, { next: 'abc' });
  t.deepEqual(Object.keys((await links(2))!), ['first', 'next']);
  t.true(JSON.stringify(await links(2)).length < linksMax);
  t.is(await links(10), null);
});

for (const { name, http, output, input } of Object.values(operations) as Operation[]) {
  if (!http || http.file) continue;
  const shape = (type: object) => ('shape' in type ? Object.keys(type.shape as object) : []);
  const isPage = shape(output).includes('pagination');
  if (!isPage && !shape(input).includes('after')) continue;
  test(`${name} returns its pagination as the last field, and takes its cursors`, (t) => {
    t.is(shape(output).at(-1), 'pagination');
    t.true(shape(input).includes('after'));
    const { pagination } = (output as unknown as { shape: { pagination: object } }).shape;
    t.true(shape(pagination).includes('next'));
    if (shape(pagination).includes('previous'))
      for (const field of ['before', 'from']) t.true(shape(input).includes(field));
  });
}
