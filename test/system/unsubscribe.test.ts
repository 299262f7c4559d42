import { eventually } from '@roster/testing';
import test from 'ava';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from './client.js';
import { patience, sharedRoster, startRoster, type RunningRoster } from './running-roster.js';
import { expectEvents, subscribed } from './subscribed-receiver.js';

const publicUrl = 'https://contacts.example.com/mail';

interface Contact {
  id: string;
  status: string;
  unsubscribeUrl?: string | null;
}

const logsOf = ({ home, output }: RunningRoster) =>
  readdirSync(join(home, 'logs'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(home, 'logs', name), 'utf8'))
    .join('\n') + output();

test('an email client unsubscribes a contact by the address in a header, and the webhook receives one event', async (t) => {
  const roster = await startRoster({
    t,
    env: { ...patience, PUBLIC_URL: `${publicUrl}/`, LOG_LEVEL: 'debug' },
  });
  t.teardown(() => roster.discard());
  const client = new Client(roster);
  const { received } = await subscribed(t, client, { events: ['CONTACT_UNSUBSCRIBED'] });
  const { body } = await client.post<{ contact: Contact }>('/v1/contacts', {
    email: 'ada@example.com',
    name: 'Ada',
  });
  const { id } = body.contact;
  t.false('unsubscribeUrl' in body.contact);

  const path = `/v1/contacts/${id}?include=unsubscribeUrl`;
  const url = (await client.get<{ contact: Contact }>(path)).body.contact.unsubscribeUrl!;
  t.true(url.startsWith(`${publicUrl}/unsubscribe/`), url);
  const list = await client.get<{ contacts: Contact[] }>('/v1/contacts?include=unsubscribeUrl');
  t.deepEqual(
    list.body.contacts.map(({ unsubscribeUrl }) => unsubscribeUrl),
    [url],
  );
  const query = '{ contacts(first: 1) { nodes { unsubscribeUrl } } }';
  t.deepEqual((await client.post('/graphql', { query })).body, {
    data: { contacts: { nodes: [{ unsubscribeUrl: url }] } },
  } as object);

  // The proxy at the public address removes its path.
  const link = roster.baseUrl + url.slice(publicUrl.length);
  t.is((await fetch(link)).status, 200);
  t.is((await client.get<{ contact: Contact }>(path)).body.contact.status, 'subscribed');
  const click = () =>
    fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  for (const { status } of [await click(), await click()]) t.is(status, 200);
  t.is((await client.get<{ contact: Contact }>(path)).body.contact.status, 'unsubscribed');
  await client.delete(`/v1/contacts/${id}`);
  for (const { status } of [await click(), await fetch(link)]) t.is(status, 404);
  await expectEvents(t, received, [`CONTACT_UNSUBSCRIBED ${id} Ada`]);

  // Log lines are written in portions.
  await eventually(() => logsOf(roster).split('/unsubscribe/{token}').length > 5);
  t.false(logsOf(roster).includes(link.split('/').at(-1)!));
});

test('without a public address, contacts have none to unsubscribe', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  await client.post('/v1/contacts', { email: 'ada@example.com' });
  const { body } = await client.get<{ contacts: Contact[] }>('/v1/contacts?include=unsubscribeUrl');
  t.deepEqual(
    body.contacts.map(({ unsubscribeUrl }) => unsubscribeUrl),
    [null],
  );
});
