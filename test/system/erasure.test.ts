import { eventually } from '@roster/testing';
import test from 'ava';
import { Client, openRoster } from './client.js';
import {
  eraseAndWait,
  foundBehind,
  plantContact,
  planted,
  plantedEmail,
  soon,
  startEcho,
} from './planted-contact.js';
import { sharedRoster } from './running-roster.js';

test('nothing of an erased contact remains behind the API, and webhooks with any filter receive its end', async (t) => {
  const roster = await sharedRoster(t);
  const client = openRoster(roster);
  const echo = await startEcho(t);
  await client.webhooks.create({
    url: `${echo.url}/filtered`,
    events: ['CONTACT_DELETED'],
    filter: { tag: ['no-contact-has-it'] },
  });
  const contactId = await plantContact(t, client, new Client(roster), echo);
  t.true((await foundBehind(client, roster)).length > 5, 'the search finds what is planted');
  await eraseAndWait(client, contactId);
  t.deepEqual(await foundBehind(client, roster), []);
  t.is((await client.contacts.list({ limit: 10 })).pagination.total, 3, 'others remain');
  const { suppressions } = await client.suppressions.list({ limit: 10, email: plantedEmail });
  t.is(suppressions.length, 1);
  const end = await eventually(
    () => echo.received.find((one) => one.startsWith('/filtered ')),
    soon,
  );
  t.true(end.includes(contactId) && end.includes('"erased":true'));
  t.deepEqual(
    planted.filter((secret) => end.includes(secret)),
    [],
  );
});
