import { Fault } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connectBus, type Call } from '../../index.js';
import {
  busFor,
  contactId,
  contactsHandlers,
  found,
  natsFor,
  outcomeOf,
  silent,
  within,
} from '../running-bus.js';

test('calls of one turn of the event loop are sent together, and each gets its own answer', async (t) => {
  const nats = await natsFor(t);
  const batches: number[] = [];
  const server = await busFor(t, nats, { batchReceived: (_, calls) => batches.push(calls) });
  server.serve('contacts', contactsHandlers({ 'contacts.get': async (calls) => calls.map(found) }));
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      bus.call('contacts.get', { contactId }, within(5000, { requestId: `r${n}` })),
    ),
  );
  t.deepEqual(
    answers.map(({ contact }) => contact.id),
    Array.from({ length: 200 }, (_, n) => `r${n}`),
  );
  t.deepEqual(batches, [200]);
});

test('a call whose handler throws does not fail the other calls of the batch', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls: Call[]) => {
        if (calls.some(({ requestId }) => requestId === 'bad')) throw new Error('boom');
        return calls.map(found);
      },
    }),
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const outcomes = await Promise.all(
    ['a', 'bad', 'b'].map((requestId) =>
      outcomeOf(bus.call('contacts.get', { contactId }, within(5000, { requestId }))),
    ),
  );
  t.deepEqual(outcomes, ['ok', 'internal', 'ok']);
});

test('the reason of unavailable calls is logged once a minute, not once per call', async (t) => {
  const nats = await natsFor(t);
  const warnings: object[] = [];
  const server = await connectBus({
    servers: nats.url,
    name: 'test',
    log: { ...silent, warn: (fields) => void warnings.push(fields) },
  });
  t.teardown(() => server.close());
  const away = new Fault('unavailable', 'Try again later.', { reason: 'PostgreSQL is away' });
  server.serve(
    'contacts',
    contactsHandlers({ 'contacts.get': async (calls) => calls.map(() => away) }),
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  for (let count = 0; count < 3; count += 1)
    t.is(await outcomeOf(bus.call('contacts.get', { contactId }, within(30_000))), 'unavailable');
  t.is(warnings.length, 1);
  t.like(warnings[0], {
    operation: 'contacts.get',
    err: { code: 'unavailable', reason: 'PostgreSQL is away' },
  });
});

test('a process knows the workspaces of the calls that it receives', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const received: string[] = [];
  server.callers.add = (workspaceId) => void received.push(workspaceId);
  server.serve('contacts', contactsHandlers({ 'contacts.get': async (calls) => calls.map(found) }));
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const callOf = (workspaceId: string) => {
    const caller = { workspaceId, userId: '', keyId: '', scopes: ['user' as const] };
    return outcomeOf(bus.call('contacts.get', { contactId }, within(5000, { caller })));
  };
  const workspaces = ['wksp_a', '', 'wksp_b'];
  t.deepEqual(await Promise.all(workspaces.map(callOf)), ['ok', 'ok', 'ok']);
  t.deepEqual(received, ['wksp_a', 'wksp_b']);
});

test('a call whose deadline has passed is dropped before its handler runs', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const seen: string[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls: Call[]) => {
        seen.push(...calls.map(({ requestId }) => requestId));
        await gate;
        return calls.map(found);
      },
    }),
    { concurrency: 1 },
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const first = outcomeOf(
    bus.call('contacts.get', { contactId }, within(10_000, { requestId: 'first' })),
  );
  await eventually(() => seen.length === 1);
  const late = outcomeOf(
    bus.call('contacts.get', { contactId }, within(50, { requestId: 'late' })),
  );
  // The client gives up at the deadline, if it does not get the answer of the busy service before.
  t.regex(await late, /^(unavailable|timeout)$/);
  release();
  t.is(await first, 'ok');
  t.is(
    await outcomeOf(bus.call('contacts.get', { contactId }, within(5000, { requestId: 'last' }))),
    'ok',
  );
  t.deepEqual(seen, ['first', 'last']);
});

test('a service above its limit refuses immediately, and handles the batches it accepted', async (t) => {
  const nats = await natsFor(t);
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  let working = 0;
  const server = await busFor(t, nats);
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls) => {
        working += 1;
        await gate;
        return calls.map(found);
      },
    }),
    { concurrency: 2, waitingMax: 3 },
  );
  await server.link.nats.flush();
  const callers = await Promise.all(Array.from({ length: 10 }, () => busFor(t, nats)));
  const outcomes: string[] = [];
  const all = callers.map(async (bus) => {
    outcomes.push(await outcomeOf(bus.call('contacts.get', { contactId }, within(30_000))));
  });
  await eventually(() => outcomes.length === 5);
  t.deepEqual(new Set(outcomes), new Set(['unavailable']));
  t.is(working, 2);
  release();
  await Promise.all(all);
  t.is(outcomes.filter((outcome) => outcome === 'ok').length, 5);
});

test('a hung process does not delay calls that another process of the service answers', async (t) => {
  const nats = await natsFor(t);
  const hung = await busFor(t, nats);
  // In the queue group and never answering, like a paused process.
  hung.link.nats.subscribe('contacts.get', { queue: 'contacts', callback: () => undefined });
  await hung.link.nats.flush();
  const bus = await busFor(t, nats);
  const lost: string[] = [];
  for (let count = 0; count < 20; count += 1)
    void outcomeOf(bus.call('contacts.get', { contactId }, within(30_000))).then((outcome) =>
      lost.push(outcome),
    );
  const twin = await busFor(t, nats);
  twin.serve('contacts', contactsHandlers({ 'contacts.get': async (calls) => calls.map(found) }));
  await twin.link.nats.flush();
  // NATS chooses one of the two at random for each batch.
  let outcome;
  do outcome = await outcomeOf(bus.call('contacts.get', { contactId }, within(300)));
  while (outcome !== 'ok' && lost.length === 0);
  t.is(outcome, 'ok');
  t.deepEqual(lost, [], 'answered while calls to the hung one were still out');
});

test('a stopping service handles and answers the batches it has received', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  let working = 0;
  const stop = server.serve(
    'contacts',
    contactsHandlers({
      'contacts.delete': async (calls) => {
        working += 1;
        await gate;
        return calls.map(() => ({ deleted: true }) as never);
      },
    }),
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const taken = outcomeOf(bus.call('contacts.delete', { contactId }, within(30_000)));
  await eventually(() => working === 1);
  let stopped = false;
  const stopping = stop().then(() => (stopped = true));
  await eventually(
    async () =>
      (await outcomeOf(bus.call('contacts.delete', { contactId }, within(5000)))) === 'unavailable',
  );
  t.false(stopped);
  release();
  await stopping;
  t.is(await taken, 'ok');
});

test('without NATS calls fail immediately, a write in flight has an unknown outcome, and calls succeed after reconnection', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  let working = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls) => calls.map(found),
      'contacts.delete': async (calls) => {
        working += 1;
        await gate;
        return calls.map(() => ({ deleted: true }) as never);
      },
    }),
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const write = bus
    .call('contacts.delete', { contactId }, within(60_000))
    .catch((error: unknown) => error as Fault);
  await eventually(() => working === 1);
  nats.kill('SIGKILL');
  const fault = (await write) as Fault;
  t.is(fault.code, 'timeout');
  t.regex(fault.message, /Idempotency-Key/);
  t.is(await outcomeOf(bus.call('contacts.get', { contactId }, within(60_000))), 'unavailable');
  await nats.restart();
  await eventually(
    async () => (await outcomeOf(bus.call('contacts.get', { contactId }, within(1000)))) === 'ok',
    {
      timeoutMs: 20_000,
    },
  );
  release();
});
