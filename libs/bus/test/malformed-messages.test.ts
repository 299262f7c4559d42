import type { Broadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connectBus } from '../index.js';
import {
  busFor,
  contactId,
  contactsHandlers,
  found,
  natsFor,
  outcomeOf,
  silent,
  within,
} from './running-bus.js';

test('malformed broadcasts are logged once, and those after them are received', async (t) => {
  const nats = await natsFor(t);
  const logged: object[] = [];
  const log = { ...silent, error: (fields: object) => void logged.push(fields) };
  const bus = await connectBus({ servers: nats.url, name: 'test', log });
  t.teardown(() => bus.close());
  const heard: string[] = [];
  const hear = ({ workspaceId }: Broadcasts['webhooks.changed']) => void heard.push(workspaceId);
  bus.listen('webhooks.changed', hear);
  await bus.link.nats.flush();
  const other = await busFor(t, nats);
  for (const malformed of ['', 'no JSON', 'null', 'null'])
    other.link.nats.publish('webhooks.changed', malformed);
  other.broadcast('webhooks.changed', { workspaceId: 'wksp_1' });
  await eventually(() => heard.length > 0);
  t.deepEqual(heard, ['wksp_1']);
  t.is(logged.length, 1);
  t.like(logged[0], { subject: 'webhooks.changed' });
});

test('malformed batches are logged once for each operation, and those after them are answered', async (t) => {
  const nats = await natsFor(t);
  const logged: object[] = [];
  const log = { ...silent, error: (fields: object) => void logged.push(fields) };
  const server = await connectBus({ servers: nats.url, name: 'test', log });
  t.teardown(() => server.close());
  server.serve('contacts', contactsHandlers({ 'contacts.get': async (calls) => calls.map(found) }));
  await server.link.nats.flush();
  const client = await busFor(t, nats);
  for (const malformed of ['', 'no JSON', 'null', '{"callers":[],"calls":[null]}', 'null'])
    client.link.nats.publish('contacts.get', malformed);
  t.is(await outcomeOf(client.call('contacts.get', { contactId }, within(20_000))), 'ok');
  t.is(logged.length, 1);
  t.like(logged[0], { subject: 'contacts.get' });
});
