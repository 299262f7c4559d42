import { eventually, type ThrowawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { connectBus, type Bus } from '../index.js';
import {
  contactId,
  contactsHandlers,
  found,
  natsFor,
  outcomeOf,
  silent,
  within,
} from './running-bus.js';

const service = { user: 'service', password: 'secret' };
const caller = { user: 'caller', password: 'secret' };

interface Connected {
  bus: Bus;
  /** Messages of the errors that were logged. */
  errors: string[];
}

async function connectAs(
  t: ExecutionContext,
  nats: ThrowawayNats,
  { user, password }: typeof service,
): Promise<Connected> {
  const errors: string[] = [];
  const bus = await connectBus({
    servers: nats.url.replace('//', `//${user}:${password}@`),
    name: user,
    log: { ...silent, error: (fields) => void errors.push((fields as { err: Error }).err.message) },
  });
  t.teardown(() => bus.close());
  return { bus, errors };
}

const get = (bus: Bus) => outcomeOf(bus.call('contacts.get', { contactId }, within(60_000)));
const remove = (bus: Bus) => outcomeOf(bus.call('contacts.delete', { contactId }, within(60_000)));

test('a call that NATS denies is unavailable before its deadline, and the log names the subject once', async (t) => {
  const nats = await natsFor(t);
  const denied = ['contacts.get', 'contacts.delete'];
  await nats.allowOnly(service, { ...caller, permissions: { publish: { deny: denied } } });
  const { bus, errors } = await connectAs(t, nats, caller);
  for (const outcome of [get(bus), get(bus), remove(bus)]) t.is(await outcome, 'unavailable');
  t.is(await get(bus), 'unavailable');
  t.deepEqual(
    errors,
    denied.map((subject) => `NATS denies publishing to ${subject}`),
  );
});

test('a write received before NATS denies its operation is answered, and a later one is unavailable', async (t) => {
  const nats = await natsFor(t);
  await nats.allowOnly(service, caller);
  const { bus: server } = await connectAs(t, nats, service);
  const gate = Promise.withResolvers<void>();
  let received = 0;
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.delete': async (calls) => {
        received += 1;
        await gate.promise;
        return calls.map(() => ({ deleted: true }) as never);
      },
    }),
  );
  await server.link.nats.flush();
  const { bus, errors } = await connectAs(t, nats, caller);
  const first = remove(bus);
  await eventually(() => received === 1);
  await nats.allowOnly(service, {
    ...caller,
    permissions: { publish: { deny: ['contacts.delete'] } },
  });
  const second = remove(bus);
  await eventually(() => errors.length === 1);
  gate.resolve();
  t.deepEqual(await Promise.all([first, second]), ['ok', 'unavailable']);
});

test('calls are unavailable while NATS denies the subscription to answers', async (t) => {
  const nats = await natsFor(t);
  await nats.allowOnly(caller);
  const { bus, errors } = await connectAs(t, nats, caller);
  await nats.allowOnly({ ...caller, permissions: { subscribe: { deny: ['_INBOX.>'] } } });
  await eventually(() => errors.length > 0);
  t.is(await get(bus), 'unavailable');
  t.is(await get(bus), 'unavailable');
  t.deepEqual(errors, ['NATS denies the subscription to _INBOX.>']);
});

for (const [when, restricted] of Object.entries({ 'at the start': true, later: false }))
  test(`a subscription that NATS denies ${when} is reported until NATS allows it, and then restored`, async (t) => {
    const nats = await natsFor(t);
    const allow = () => nats.allowOnly(service, caller);
    const deny = () =>
      nats.allowOnly(
        { ...service, permissions: { subscribe: { deny: ['contacts.get'] } } },
        caller,
      );
    await (restricted ? deny() : allow());
    const { bus: server, errors } = await connectAs(t, nats, service);
    server.serve(
      'contacts',
      contactsHandlers({ 'contacts.get': async (calls) => calls.map(found) }),
    );
    await server.link.nats.flush();
    const { bus } = await connectAs(t, nats, caller);
    if (!restricted) {
      t.is(await get(bus), 'ok');
      await deny();
    }
    await eventually(() => server.link.deniedSubscriptions.length > 0);
    t.deepEqual(server.link.deniedSubscriptions, ['contacts.get']);
    t.is(await get(bus), 'unavailable');
    t.deepEqual(errors, ['NATS denies the subscription to contacts.get']);
    await allow();
    await eventually(() => server.link.deniedSubscriptions.length === 0);
    t.is(await get(bus), 'ok');
  });

test('an event that NATS denies is rejected before its time limit, with the subject', async (t) => {
  const nats = await natsFor(t);
  await nats.allowOnly({ ...caller, permissions: { publish: { deny: ['events.>'] } } });
  const { bus } = await connectAs(t, nats, caller);
  const events = await bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
  const event = {
    id: 'evt_1',
    workspaceId: 'wksp_1',
    kind: 'CONTACT_CREATED' as const,
    body: '{}',
  };
  await t.throwsAsync(events.publish(event), { message: 'NATS denies publishing to events.>' });
});
