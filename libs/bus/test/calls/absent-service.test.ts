import { Fault, operationsOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Json, type Bus, type Call, type Handler, type HandlerTable } from '../../index.js';
import { busFor, contactId, contactsHandlers, natsFor, outcomeOf, within } from '../running-bus.js';

const found = (call: Call) => new Json(JSON.stringify({ contact: { id: call.requestId } }));
const deleted = (call: Call) => new Json(JSON.stringify({ deleted: true, id: call.requestId }));
const get = (bus: Bus, timeoutMs = 30_000) =>
  outcomeOf(bus.call('contacts.get', { contactId }, within(timeoutMs)));
const remove = (bus: Bus, requestId = 'test', timeoutMs = 30_000) =>
  outcomeOf(bus.call('contacts.delete', { contactId }, within(timeoutMs, { requestId })));

/** A client, and how many of its batches were returned because of missing responders. */
async function callerFor(t: ExecutionContext, nats: { url: string }) {
  const seen = { returned: 0 };
  const bus = await busFor(t, nats, { batchReturned: () => (seen.returned += 1) });
  return { bus, seen };
}

/**
 * Serves contacts, and records the request IDs in the order of handling. The connection is already open, because connecting
 * may take longer than calls wait for an absent service.
 */
async function serve(server: Bus) {
  const handled: string[] = [];
  const stop = server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls) => calls.map(found),
      'contacts.delete': async (calls: Call[]) => {
        handled.push(...calls.map(({ requestId }) => requestId));
        return calls.map(deleted) as never;
      },
    }),
  );
  await server.link.nats.flush();
  return { handled, stop };
}

const allRefusing = (handler: Handler) =>
  Object.fromEntries(
    Object.keys(operationsOf.users).map((name) => [name, handler]),
  ) as unknown as HandlerTable<'users'>;

test('reads and writes wait for a service that returns within 2 s, and are handled once', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus, seen } = await callerFor(t, nats);
  const calls = [get(bus), remove(bus, 'a'), remove(bus, 'b')];
  await eventually(() => seen.returned >= 4);
  const { handled } = await serve(server);
  t.deepEqual(await Promise.all(calls), ['ok', 'ok', 'ok']);
  t.deepEqual(handled, ['a', 'b']);
});

test('a call that tries once fails at once if no process serves it, and calls beside it wait', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus, seen } = await callerFor(t, nats);
  const waiting = get(bus);
  const once = within(30_000, { triesOnce: true });
  t.is(await outcomeOf(bus.call('contacts.get', { contactId }, once)), 'unavailable');
  t.is(seen.returned, 1);
  await serve(server);
  t.is(await waiting, 'ok');
});

test('calls that waited for an absent service are handled in the order in which they were made', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus, seen } = await callerFor(t, nats);
  const names = Array.from({ length: 120 }, (_, n) => `r${n}`);
  const calls: Promise<string>[] = [];
  // In batches of many sizes: while some are returned, others are in flight.
  for (const [at, name] of names.entries()) {
    calls.push(remove(bus, name));
    if (at % 7 === 0) await new Promise(setImmediate);
  }
  await eventually(() => seen.returned >= 2);
  const { handled } = await serve(server);
  t.deepEqual(new Set(await Promise.all(calls)), new Set(['ok']));
  t.deepEqual(handled, names);
});

test('after 2 s calls are refused, later ones immediately, and the first call after the return is answered', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus } = await callerFor(t, nats);
  const started = performance.now();
  t.deepEqual(await Promise.all([get(bus), remove(bus)]), ['unavailable', 'unavailable']);
  const waitedMs = performance.now() - started;
  t.true(waitedMs >= 1900, `${waitedMs} ms`);

  const { bus: other, seen } = await callerFor(t, nats);
  t.is(await get(other), 'unavailable');
  const { returned } = seen;
  t.is(await get(other), 'unavailable');
  t.is(seen.returned, returned, 'refused without another attempt');

  await serve(server);
  t.is(await get(other), 'ok');
});

test('a call waits no longer than its deadline, and is not sent after it', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus } = await callerFor(t, nats);
  // An earlier call that may wait the full 2 s is still waiting when the others are refused.
  const ends: string[] = [];
  const patient = remove(bus, 'patient').then(() => ends.push('patient'));
  // If the machine stalls, a probe may be in flight at one of these deadlines: its outcome is unknown.
  const short = [300, 450, 600, 750, 900].map((timeoutMs) =>
    remove(bus, 'short', timeoutMs).then((outcome) => ends.push(outcome)),
  );
  await Promise.all([patient, ...short]);
  t.is(ends.at(-1), 'patient');
  t.true(ends.includes('unavailable'), ends.join());
  t.true(
    ends.slice(0, -1).every((end) => ['unavailable', 'timeout'].includes(end)),
    ends.join(),
  );
  const { handled } = await serve(server);
  t.is(await remove(bus, 'next'), 'ok');
  t.deepEqual(handled, ['next']);
});

test('a write that waits for an absent service is answered unavailable when the connection is lost', async (t) => {
  const nats = await natsFor(t);
  let firstAt: number | undefined;
  const bus = await busFor(t, nats, {
    // The next probe follows after half of the time since the first. The connection is lost before it, with nothing in
    // flight.
    batchReturned() {
      firstAt ??= performance.now();
      if (performance.now() - firstAt >= 300) nats.kill('SIGKILL');
    },
  });
  const write = remove(bus);
  t.is(await write, 'unavailable');
});

test('at most 128 calls wait for absent services, and calls to other services are answered meanwhile', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus, seen } = await callerFor(t, nats);
  const users = await busFor(t, nats);
  const refuse = async (calls: Call[]) => calls.map(() => new Fault('not_found', 'No such user.'));
  users.serve('users', allRefusing(refuse));
  await users.link.nats.flush();
  const outcomes: string[] = [];
  const add = (calls: Promise<string>[]) =>
    calls.map((call) => call.then((outcome) => outcomes.push(outcome)));
  const waiting = [
    ...add(Array.from({ length: 150 }, () => get(bus))),
    ...add(Array.from({ length: 50 }, () => remove(bus))),
  ];
  await eventually(() => seen.returned >= 2);
  await eventually(() => outcomes.length === 72);
  t.is(await get(bus), 'unavailable', 'the limit is reached');
  t.is(
    await outcomeOf(bus.call('users.me', {}, within(30_000))),
    'not_found',
    'answered by the service',
  );
  t.is(outcomes.length, 72);

  await serve(server);
  await Promise.all(waiting);
  t.is(outcomes.filter((outcome) => outcome === 'ok').length, 128);
});

test('two absent services with many calls share the limit of 128 equally', async (t) => {
  const nats = await natsFor(t);
  const [server, users] = [await busFor(t, nats), await busFor(t, nats)];
  const { bus } = await callerFor(t, nats);
  const outcomes: Record<string, string[]> = { contacts: [], users: [] };
  const make = (count: number, service: 'contacts' | 'users') =>
    Array.from({ length: count }, async () => {
      const call =
        service === 'contacts' ? get(bus) : outcomeOf(bus.call('users.me', {}, within(30_000)));
      outcomes[service]!.push(await call);
    });
  const calls = make(150, 'contacts');
  await eventually(() => outcomes['contacts']!.length === 22);
  calls.push(...make(100, 'users'));
  await eventually(() => outcomes['users']!.length === 36);
  await eventually(() => outcomes['contacts']!.length === 22 + 64);

  users.serve(
    'users',
    allRefusing(async (all) => all.map(() => new Fault('not_found', 'No such user.'))),
  );
  await Promise.all([users.link.nats.flush(), serve(server)]);
  await Promise.all(calls);
  t.is(outcomes['contacts']!.filter((outcome) => outcome === 'ok').length, 64);
  t.is(outcomes['users']!.filter((outcome) => outcome === 'not_found').length, 64);
});

test('no call fails when a service is restarted under load', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const { bus } = await callerFor(t, nats);
  let serving = await serve(server);
  const outcomes: string[] = [];
  const ending = new AbortController();
  const callers = Array.from({ length: 8 }, async (_, n) => {
    while (!ending.signal.aborted) {
      outcomes.push(await (n % 2 === 0 ? get(bus) : remove(bus)));
      await new Promise(setImmediate);
    }
  });
  for (let round = 0; round < 5; round += 1) {
    const seen = outcomes.length;
    await eventually(() => outcomes.length > seen + 100);
    await serving.stop();
    serving = await serve(server);
  }
  ending.abort();
  await Promise.all(callers);
  t.deepEqual(
    outcomes.filter((outcome) => outcome !== 'ok'),
    [],
  );
});
