import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { randomUUID } from 'node:crypto';
import { Json, type Bus, type Call } from '../../index.js';
import { decodeAnswers } from '../../calls/frame/answer-frame.js';
import { encodeCall, encodeRequest } from '../../calls/frame/request-frame.js';
import {
  anyCaller,
  busFor,
  contactId,
  contactsHandlers,
  handlersOf,
  natsFor,
  outcomeOf,
  within,
} from '../running-bus.js';

const found = (calls: readonly Call[]) => calls.map(() => new Json('{}'));

/** Answers when the test ends, and counts the batches until then. */
function hangingHandler(t: ExecutionContext) {
  const gate = Promise.withResolvers<void>();
  t.teardown(() => gate.resolve());
  const hanging = {
    count: 0,
    async handle(calls: readonly Call[]) {
      hanging.count += 1;
      await gate.promise;
      return found(calls);
    },
  };
  return hanging;
}

test('hanging writes do not occupy slots of reads', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const hanging = hangingHandler(t);
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.delete': hanging.handle,
      'contacts.get': async (calls) => found(calls),
    }),
    { concurrency: 2, waitingMax: 4 },
  );
  await server.link.nats.flush();
  const callers = await Promise.all(Array.from({ length: 4 }, () => busFor(t, nats)));
  for (const bus of callers)
    void outcomeOf(bus.call('contacts.delete', { contactId }, within(20_000)));
  await eventually(() => hanging.count === 2);
  t.is(await outcomeOf(callers[0]!.call('contacts.get', { contactId }, within(20_000))), 'ok');
  t.is(hanging.count, 2);
});

test('calls that wait for another service do not occupy slots of reads', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const hanging = hangingHandler(t);
  server.serve(
    'users',
    handlersOf('users', {
      'audit-log.list': hanging.handle,
      'keys.verify': async (calls) => found(calls),
    }),
    { concurrency: 2, waitingMax: 4 },
  );
  await server.link.nats.flush();
  const callers = await Promise.all(Array.from({ length: 6 }, () => busFor(t, nats)));
  for (const bus of callers)
    void outcomeOf(bus.call('audit-log.list', { limit: 1 }, within(20_000)));
  await eventually(() => hanging.count >= 2);
  const sha256 = '0'.repeat(64);
  t.is(await outcomeOf(callers[0]!.call('keys.verify', { sha256 }, within(20_000))), 'ok');
});

test('a workspace whose calls wait for another service leaves one of their slots to the others', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const hanging = hangingHandler(t);
  const working = new Set<string>();
  const handle = (calls: readonly Call[]) => {
    for (const { caller } of calls) working.add(caller.workspaceId);
    return hanging.handle(calls);
  };
  server.serve('users', handlersOf('users', { 'audit-log.list': handle }));
  await server.link.nats.flush();
  const callers = await Promise.all(Array.from({ length: 7 }, () => busFor(t, nats)));
  const ask = (bus: Bus, caller = anyCaller) =>
    void outcomeOf(bus.call('audit-log.list', { limit: 1 }, within(20_000, { caller })));
  for (const bus of callers.slice(1)) ask(bus);
  await eventually(() => hanging.count >= 3);
  const other = { ...anyCaller, workspaceId: encodeId('workspace', randomUUID()) };
  ask(callers[0]!, other);
  await eventually(() => working.has(other.workspaceId));
  t.is(hanging.count, 4);
});

test('the slot of a hanging handler is released at the deadline of its calls', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  let begun = 0;
  const stop = server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls) => {
        begun += 1;
        return begun === 1 ? new Promise(() => undefined) : found(calls);
      },
    }),
    { concurrency: 1 },
  );
  await server.link.nats.flush();
  const [first, second] = [await busFor(t, nats), await busFor(t, nats)];
  const hung = outcomeOf(first.call('contacts.get', { contactId }, within(300)));
  await eventually(() => begun === 1);
  const after = outcomeOf(second.call('contacts.get', { contactId }, within(20_000)));
  t.is(await hung, 'timeout');
  t.is(await after, 'ok');
  await stop();
});

test('a call that gets no slot before its deadline is answered unavailable, because it was not applied', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const hanging = hangingHandler(t);
  server.serve('contacts', contactsHandlers({ 'contacts.delete': hanging.handle }), {
    concurrency: 1,
  });
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  void outcomeOf(bus.call('contacts.delete', { contactId }, within(20_000)));
  await eventually(() => hanging.count === 1);
  // Not by a client, which gives up at the deadline: on a busy machine before the answer arrives.
  const answers: Uint8Array[] = [];
  const reply = '_INBOX.test.contacts.1';
  const { nats: connection } = bus.link;
  connection.subscribe(reply, { callback: (_, { data }) => void answers.push(data) });
  const encoded = encodeCall({ ...within(200), input: { contactId } });
  const calls = [{ caller: anyCaller, encoded }];
  connection.publish('contacts.delete', encodeRequest(calls, 'clock'), { reply });
  const [answer] = decodeAnswers(await eventually(() => answers[0]));
  t.like(answer, { code: 'unavailable' });
  t.is(hanging.count, 1);
});

test('no further call of a batch is handled after the deadline', async (t) => {
  const nats = await natsFor(t);
  const server = await busFor(t, nats);
  const seen: number[] = [];
  const gate = Promise.withResolvers<void>();
  server.serve(
    'contacts',
    contactsHandlers({
      'contacts.get': async (calls) => {
        seen.push(calls.length);
        await gate.promise;
        // Otherwise they would be handled one by one.
        throw new Error('broken');
      },
    }),
  );
  await server.link.nats.flush();
  const bus = await busFor(t, nats);
  const outcomes = await Promise.all(
    Array.from({ length: 3 }, () =>
      outcomeOf(bus.call('contacts.get', { contactId }, within(300))),
    ),
  );
  t.deepEqual(new Set(outcomes), new Set(['timeout']));
  gate.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(seen, [3]);
});
