import {
  Contended,
  currentLockWait,
  LockWait,
  withLockWait,
  type Answer,
  type Call,
} from '@roster/bus';
import { Fault, type Caller, type Operation } from '@roster/contracts';
import test from 'ava';
import { coalesceBatches } from '../batches/coalesce-batches.js';

const callsOf = (...inputs: string[]) =>
  inputs.map((input) => ({ input, caller: { workspaceId: 'w' } as Caller }) as Call<string>);

/** A handler that answers each call in upper case, once its batch is released. */
function open() {
  const batches: { inputs: string[]; go: PromiseWithResolvers<void> }[] = [];
  const handle = coalesceBatches<Operation>(async (calls) => {
    const inputs = calls.map(({ input }) => input as string);
    const go = Promise.withResolvers<void>();
    batches.push({ inputs, go });
    await go.promise;
    if (inputs.includes('broken')) throw new Error('broken');
    return inputs.map((input) => input.toUpperCase() as Answer<unknown>);
  });
  return { batches, handle };
}

test('batches that arrive while one is being handled are merged, and each gets its own answers', async (t) => {
  const { batches, handle } = open();
  const first = handle(callsOf('a', 'b'));
  const others = [handle(callsOf('c')), handle(callsOf('d', 'e'))];
  await new Promise(setImmediate);
  t.deepEqual(
    batches.map(({ inputs }) => inputs),
    [['a', 'b']],
  );
  batches[0]!.go.resolve();
  t.deepEqual(await first, ['A', 'B']);
  await new Promise(setImmediate);
  t.deepEqual(batches[1]!.inputs, ['c', 'd', 'e']);
  batches[1]!.go.resolve();
  t.deepEqual(await Promise.all(others), [['C'], ['D', 'E']]);
});

test('a batch of a locked workspace does not delay those of others, and those behind it share its timeout', async (t) => {
  const locked = Promise.withResolvers<void>();
  let waited = 0;
  const handle = coalesceBatches<Operation>(async (calls, workspaceId) => {
    if (workspaceId === undefined) return calls.map(() => 'done');
    waited += 1;
    await locked.promise;
    throw new Contended({ reason: 'locked' });
  });
  const waiting = ['a', 'b', 'c'].map((input) => handle(callsOf(input), 'w'));
  t.deepEqual(await handle(callsOf('d')), ['done']);
  locked.resolve();
  for (const [answer] of await Promise.all(waiting)) t.true(answer instanceof Contended);
  t.is(waited, 1);
});

test('a batch that has reached the limit for locks waits in the queue of its workspace as long as others', async (t) => {
  const waits: (number | undefined)[] = [];
  const handle = coalesceBatches<Operation>(async (calls) => {
    waits.push(currentLockWait()?.ms);
    return calls.map(() => 'done');
  });
  const wait = new LockWait(300);
  wait.shorten();
  await withLockWait(wait, () => handle(callsOf('a'), 'w'));
  t.deepEqual(waits, [300]);
});

test('a call that throws does not fail those it was merged with', async (t) => {
  const { batches, handle } = open();
  const first = handle(callsOf('a'));
  const [sound, broken, last] = ['b', 'broken', 'c'].map((input) => handle(callsOf(input)));
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise(setImmediate);
    batches[turn]!.go.resolve();
  }
  t.like(await broken, [{ code: 'internal' }]);
  t.deepEqual(await Promise.all([first, sound, last]), [['A'], ['B'], ['C']]);
});

test('at most 256 calls are merged', async (t) => {
  const { batches, handle } = open();
  const many = (count: number) => callsOf(...Array.from({ length: count }, () => 'x'));
  const all = [1, 100, 100, 100, 300, 1].map((count) => handle(many(count)));
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise(setImmediate);
    batches[turn]!.go.resolve();
  }
  const answers = await Promise.all(all);
  t.deepEqual(
    answers.map(({ length }) => length),
    [1, 100, 100, 100, 300, 1],
  );
  t.deepEqual(
    batches.map(({ inputs }) => inputs.length),
    [1, 200, 100, 300, 1],
  );
});

test('a merged batch with an unknown outcome is not handled again', async (t) => {
  let handled = 0;
  const gate = Promise.withResolvers<void>();
  const handle = coalesceBatches<Operation>(async (calls) => {
    handled += 1;
    await gate.promise;
    if (calls.length > 1) throw new Fault('timeout', 'It may have happened.');
    return calls.map(() => 'done');
  });
  const first = handle(callsOf('a'));
  const others = ['b', 'c'].map((input) => handle(callsOf(input)));
  gate.resolve();
  t.deepEqual(await first, ['done']);
  for (const other of others) t.like(await other, [{ code: 'timeout' }]);
  t.is(handled, 2);
});
