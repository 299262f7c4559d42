import { operations, type Caller } from '@roster/contracts';
import test from 'ava';
import { settle, type PendingCall } from '../../calls/batching/pending-call.js';
import { SenderTable } from '../../calls/batching/sender-table.js';

const operation = operations['contacts.update'];
let order = 0;

/** Queues a call of a workspace. */
function add(table: SenderTable, workspaceId: string): PendingCall {
  const { queue } = table.of(operation, workspaceId);
  const outcome = Promise.withResolvers<Uint8Array>();
  const caller = { workspaceId } as Caller;
  order += 1;
  const call = {
    caller,
    operation,
    large: {},
    encoded: '',
    bytes: 9,
    deadline: Infinity,
    queuedAt: 0,
    order,
    queue,
    outcome,
  };
  queue.add(call);
  return call;
}

/** Has the calls sent, and then deferred at a time. Returns the senders that send them again. */
function deferAll(table: SenderTable, now: number, ...workspaceIds: string[]) {
  for (const workspaceId of workspaceIds) add(table, workspaceId);
  const { queue } = table.of(operation, 'shared');
  const calls = queue.take(now);
  queue.finished();
  return { calls, senders: [...table.isolate(operation, calls, now)] };
}

const isShared = (table: SenderTable, workspaceId: string) =>
  table.of(operation, workspaceId).isolated === undefined;

test('a deferred call, and the queued calls of its workspace, are sent separately', (t) => {
  const table = new SenderTable(() => undefined);
  const [first, settled] = [add(table, 'a'), add(table, 'a')];
  const sent = table.of(operation, 'a').queue.take(0);
  const [second, other] = [add(table, 'a'), add(table, 'b')];
  settle(settled, new Uint8Array());
  const [sender] = table.isolate(operation, sent, 0);
  t.is(sender, table.of(operation, 'a'));
  t.is(table.isolated, 1);
  t.deepEqual(sender!.queue.take(0), [first, second]);
  t.is(sender!.queue.open, 2);
  const shared = table.of(operation, 'b');
  t.is(shared.isolated, undefined);
  t.deepEqual(shared.queue.take(0), [other]);
  t.is(shared.queue.open, 1);
  t.true(isShared(table, 'c'));
});

test('one batch of an isolated workspace is in flight at a time', (t) => {
  const table = new SenderTable(() => undefined);
  const [sender] = deferAll(table, 0, 'a').senders;
  sender!.queue.take(0);
  add(table, 'a');
  t.true(sender!.queue.holdMs(0) > 1000);
  sender!.finished(0);
  t.is(sender!.queue.holdMs(0), 0);
});

test('isolation ends ten seconds after the last contended batch, when no batch is in flight', (t) => {
  const table = new SenderTable(() => undefined);
  const start = performance.now();
  const [sender] = deferAll(table, start, 'a').senders;
  sender!.queue.take(start);
  const waiting = add(table, 'a');
  t.is(table.rejoin(start + 20_000).size, 0, 'a batch is in flight');
  // A quick one.
  sender!.finished(performance.now());
  t.is(table.rejoin(start + 9999).size, 0);
  const [shared] = table.rejoin(start + 10_000);
  t.true(isShared(table, 'a'));
  t.deepEqual(shared!.queue.take(0), [waiting]);
  t.is(table.isolated, 0);
  t.is(table.queues.length, 1);
});

test('a batch that takes long keeps its workspace isolated', (t) => {
  const table = new SenderTable(() => undefined);
  const now = performance.now();
  const [sender] = deferAll(table, now - 20_000, 'a').senders;
  sender!.queue.take(now);
  sender!.finished(now - 5000);
  t.is(table.rejoin(now + 9999).size, 0);
  t.is(table.rejoin(now + 20_000).size, 1);
});

test('sixteen workspaces of an operation are isolated; deferred calls of further ones are sent together', (t) => {
  const table = new SenderTable(() => undefined);
  const workspaces = Array.from({ length: 20 }, (_, n) => `w${n}`);
  const { calls, senders } = deferAll(table, 0, ...workspaces);
  t.is(senders.length, 17);
  t.deepEqual(senders.at(-1)!.queue.take(0), calls.slice(16));
  t.false(isShared(table, 'w15'));
  t.true(isShared(table, 'w16'));
  t.is(table.isolated, 17);
});
