import { Fault } from '@roster/contracts';
import test from 'ava';
import { settle } from '../../calls/batching/pending-call.js';
import { steadyNow } from '../../wire.js';
import { add, makeAbsent, queueOf } from './queued-calls.js';

const fault = new Fault('unavailable', 'No.');

test('taken: a burst with nothing in flight is one batch, of at most 256 reads or 64 writes', (t) => {
  const reads = queueOf('contacts.get');
  add(reads, 300);
  t.is(reads.holdMs(0), 0);
  t.is(reads.nextBatch(0).length, 256);
  const writes = queueOf('contacts.delete');
  add(writes, 300);
  t.is(writes.nextBatch(0).length, 64);
});

test('taken: at most 64 calls while others are in flight', (t) => {
  const reads = queueOf('contacts.get');
  add(reads, 100);
  reads.nextBatch(0);
  add(reads, 100);
  t.is(reads.nextBatch(0).length, 64);
  t.is(reads.length, 36);
});

test('taken: at most 512 KiB, or one larger call', (t) => {
  const queue = queueOf('contacts.delete');
  add(queue, 3, { bytes: 200 * 1024 });
  t.is(queue.nextBatch(0).length, 2);
  const large = queueOf('contacts.delete');
  add(large, 2, { bytes: 600 * 1024 });
  t.is(large.nextBatch(0).length, 1);
});

for (const name of [
  'contacts.batch',
  'contacts.find',
  'event-log.list',
  'identity-sign-ins.finish',
] as const)
  test(`taken: one call of ${name}, of the workspaces in turn`, (t) => {
    const queue = queueOf(name);
    const many = add(queue, 2).calls;
    const [other] = add(queue, 1, { workspaceId: 'wksp_b' }).calls;
    const taken = [queue.nextBatch(0), queue.nextBatch(0), queue.nextBatch(0)];
    t.true(taken.every((calls) => calls.length === 1));
    t.true(taken.flat().indexOf(other!) < taken.flat().indexOf(many[1]!));
  });

test('taken: if not all fit, workspaces take turns, and the calls of each stay in their order', (t) => {
  const queue = queueOf('contacts.delete');
  const many = add(queue, 100).calls;
  const few = add(queue, 3, { workspaceId: 'wksp_b' }).calls;
  const some = add(queue, 40, { workspaceId: 'wksp_c' }).calls;
  settle(few[1]!, fault);
  t.deepEqual(queue.nextBatch(0), [...many.slice(0, 31), few[0], few[2], ...some.slice(0, 31)]);
  t.deepEqual(queue.nextBatch(0), [...many.slice(31, 86), ...some.slice(31)]);
  t.deepEqual(queue.nextBatch(0), many.slice(86));
});

test('taken: a large call of one workspace delays none of another', (t) => {
  const queue = queueOf('contacts.delete');
  const [first] = add(queue, 1, { bytes: 300 * 1024 }).calls;
  add(queue, 1, { bytes: 300 * 1024 });
  const others = add(queue, 2, { workspaceId: 'wksp_b' }).calls;
  t.deepEqual(queue.nextBatch(0), [first, ...others]);
  t.is(queue.length, 1);
});

test('taken: at most 64 calls for pages of a list, also with nothing in flight', (t) => {
  const queue = queueOf('contacts.list');
  add(queue, 300);
  t.is(queue.nextBatch(0).length, 64);
  t.is(queue.nextBatch(0).length, 64);
});

test('taken: reads whose answers were large travel in smaller batches', (t) => {
  const queue = queueOf('contacts.get');
  add(queue, 1);
  queue.nextBatch(0);
  // The average moves by a quarter: 48 KiB per call, and 192 KiB are allowed.
  queue.answered(1, 192 * 1024, 0);
  queue.finished();
  add(queue, 100);
  t.is(queue.nextBatch(0).length, 4);
});

test('taken: calls in their order, without settled ones', (t) => {
  const queue = queueOf('contacts.get');
  const { calls } = add(queue, 5);
  settle(calls[1]!, fault);
  t.deepEqual(queue.nextBatch(0), [calls[0], calls[2], calls[3], calls[4]]);
});

test('taken: a batch whose calls are all settled does not count as in flight', (t) => {
  const queue = queueOf('contacts.get');
  const { calls } = add(queue, 2);
  for (const call of calls) settle(call, fault);
  t.deepEqual(queue.nextBatch(0), []);
  add(queue, 1);
  t.is(queue.holdMs(0), 0);
});

test('held: a few calls wait up to 50 ms while many are in flight; half as many do not wait', (t) => {
  const queue = queueOf('contacts.delete');
  add(queue, 60);
  queue.nextBatch(0);
  add(queue, 29, { now: 10 });
  t.is(queue.holdMs(10), 50);
  t.is(queue.holdMs(40), 20);
  t.true(queue.holdMs(60) <= 0);
  add(queue, 1, { now: 40 });
  t.is(queue.holdMs(40), 0);
});

test('held: calls wait while four batches are in flight, until one is answered', (t) => {
  const queue = queueOf('contacts.delete');
  for (let batch = 0; batch < 4; batch += 1) {
    add(queue, 64);
    t.is(queue.holdMs(0), 0);
    queue.nextBatch(0);
  }
  add(queue, 64);
  t.is(queue.holdMs(0), 50);
  queue.finished();
  t.is(queue.holdMs(0), 0);
});

test('put back: calls return to their positions, in any order of their batches', (t) => {
  const queue = queueOf('contacts.delete');
  const { calls } = add(queue, 192);
  const [first, second] = [queue.nextBatch(0), queue.nextBatch(0)];
  settle(second[3]!, fault);
  t.true(queue.putBack(second, 1));
  t.true(queue.putBack(first, 2));
  queue.finished();
  queue.finished();
  const again = [queue.nextBatch(3000), queue.nextBatch(3000), queue.nextBatch(3000)].flat();
  t.deepEqual(
    again,
    calls.filter((call) => call !== second[3]),
  );
});

test('put back: calls of a batch that workspaces shared in turn stand where they were', (t) => {
  const queue = queueOf('contacts.delete');
  const many = add(queue, 100).calls;
  const few = add(queue, 10, { workspaceId: 'wksp_b' }).calls;
  const batch = queue.nextBatch(0);
  t.true(batch.includes(few[9]!));
  t.true(queue.putBack(batch, 1));
  queue.finished();
  const again = [queue.nextBatch(3000), queue.nextBatch(3000)].flat();
  t.deepEqual(
    again.filter((call) => many.includes(call)),
    many,
  );
  t.deepEqual(
    again.filter((call) => few.includes(call)),
    few,
  );
});

test('put back: one batch tries at a time, at growing intervals, for 2 s; then calls are refused', (t) => {
  const queue = queueOf('contacts.get');
  makeAbsent(queue, 0);
  t.true(queue.isAbsent(0));
  t.is(queue.holdMs(0), 20);
  queue.nextBatch(20);
  t.is(queue.holdMs(20), 50, 'until NATS must have reported missing responders');
  t.true(queue.putBack([], 400));
  t.is(queue.holdMs(400), 200);
  t.true(queue.putBack([], 1900));
  t.is(queue.holdMs(1900), 200);
  t.false(queue.putBack([], 2000));
  t.false(queue.isAbsent(2000));
});

test('put back: an answer of a stopping service does not end its absence, a later one does', (t) => {
  const queue = queueOf('contacts.get');
  makeAbsent(queue, 100);
  queue.answered(1, 100, 99);
  t.true(queue.isAbsent(100));
  queue.answered(1, 100, 100);
  t.false(queue.isAbsent(100));
});

test('a call is settled once and counted once by its queue', async (t) => {
  const queue = queueOf('contacts.get');
  const { calls, outcomes } = add(queue, 1);
  settle(calls[0]!, new Uint8Array());
  settle(calls[0]!, fault);
  await new Promise(setImmediate);
  t.deepEqual(outcomes, ['ok']);
  t.is(queue.open, 0);
});

test('a queued call whose caller no longer waits is dropped after 50 ms; one that was sent is not', async (t) => {
  const now = performance.now();
  let isGone = false;
  const isAbandoned = () => isGone;
  const queue = queueOf('contacts.delete');
  const sent = add(queue, 1, { now: now - 60, isAbandoned });
  const batch = queue.nextBatch(now);
  const early = add(queue, 1, { now: now + 60_000, isAbandoned });
  const late = add(queue, 1, { now: now - 60, isAbandoned });
  const awaited = add(queue, 1, { now: now - 60 });
  const dropped: unknown[] = [];
  const expire = () => queue.expire(steadyNow(), (call) => dropped.push(call));
  expire();
  t.deepEqual(dropped, []);
  isGone = true;
  expire();
  expire();
  t.deepEqual(dropped, late.calls);
  await Promise.resolve();
  t.deepEqual(late.outcomes, ['unavailable']);
  t.deepEqual([...sent.outcomes, ...early.outcomes, ...awaited.outcomes], []);
  t.deepEqual(queue.nextBatch(now), [...early.calls, ...awaited.calls]);
  t.deepEqual(batch, sent.calls);
});
