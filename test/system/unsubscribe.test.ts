import { eventually } from '@roster/testing';
import test from 'ava';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, openRoster } from './client.js';
import { patience, sharedRoster, startRoster, type RunningRoster } from './running-roster.js';
import { expectEvents, subscribed } from './subscribed-receiver.js';

const publicUrl = 'https://contacts.example.com/mail';

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
  const client = openRoster(roster);
  const { received } = await subscribed(t, client, { events: ['CONTACT_UNSUBSCRIBED'] });
  const contact = await client.contacts.create({ email: 'ada@example.com', name: 'Ada' });
  const { id } = contact;
  t.false('unsubscribeUrl' in contact);

  const get = () => client.contacts.get(id, { include: ['unsubscribeUrl'] });
  const url = (await get()).unsubscribeUrl!;
  t.true(url.startsWith(`${publicUrl}/unsubscribe/`), url);
  const { contacts } = await client.contacts.list({ include: ['unsubscribeUrl'] });
  t.deepEqual(
    contacts.map(({ unsubscribeUrl }) => unsubscribeUrl),
    [url],
  );
  const query = '{ contacts(first: 1) { nodes { unsubscribeUrl } } }';
  t.deepEqual((await new Client(roster).post('/graphql', { query })).body, {
    data: { contacts: { nodes: [{ unsubscribeUrl: url }] } },
  } as object);

  // The proxy at the public address removes its path.
  const link = roster.baseUrl + url.slice(publicUrl.length);
  t.is((await fetch(link)).status, 200);
  t.is((await get()).status, 'subscribed');
  const click = () =>
    fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  for (const { status } of [await click(), await click()]) t.is(status, 200);
  t.is((await get()).status, 'unsubscribed');
  await client.contacts.delete(id);
  for (const { status } of [await click(), await fetch(link)]) t.is(status, 404);
  await expectEvents(t, received, [`CONTACT_UNSUBSCRIBED ${id} Ada`]);

  // Log lines are written in portions.
  await eventually(() => logsOf(roster).split('/unsubscribe/{token}').length > 5);
  t.false(logsOf(roster).includes(link.split('/').at(-1)!));
});

test('without a public address, contacts have none to unsubscribe', async (t) => {
  const roster = await sharedRoster(t);
  const client = openRoster(roster);
  await client.contacts.create({ email: 'ada@example.com' });
  const { contacts } = await client.contacts.list({ include: ['unsubscribeUrl'] });
  t.deepEqual(
    contacts.map(({ unsubscribeUrl }) => unsubscribeUrl),
    [null],
  );
});
