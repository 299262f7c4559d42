import type { Answer, Call } from '@roster/bus';
import { Fault, type Operation } from '@roster/contracts';
import test from 'ava';
import { coalesceBatches } from '../batches/coalesce-batches.js';
import type { Session } from '../database.js';

const pool = { name: 'pool' } as unknown as Session;
const transaction = { name: 'transaction' } as unknown as Session;
const callsOf = (...inputs: string[]) => inputs.map((input) => ({ input }) as Call<string>);

/** A handler that answers each call in upper case, once its batch is released. */
function open() {
  const batches: { inputs: string[]; session: Session; go: PromiseWithResolvers<void> }[] = [];
  const handle = coalesceBatches<Operation>(async (calls, session) => {
    const inputs = calls.map(({ input }) => input as string);
    const go = Promise.withResolvers<void>();
    batches.push({ inputs, session, go });
    await go.promise;
    if (inputs.includes('broken')) throw new Error('broken');
    return inputs.map((input) => input.toUpperCase() as Answer<unknown>);
  });
  return { batches, handle };
}

test('batches that arrive while one is being handled are merged, and each gets its own answers', async (t) => {
  const { batches, handle } = open();
  const first = handle(callsOf('a', 'b'), pool);
  const others = [handle(callsOf('c'), pool), handle(callsOf('d', 'e'), pool)];
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

test('a batch in a transaction is not merged, and keeps its turn', async (t) => {
  const { batches, handle } = open();
  const all = ['a', 'b', 'c'].map((input) => handle(callsOf(input), pool));
  all.push(handle(callsOf('d'), transaction));
  all.push(handle(callsOf('e'), pool));
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise(setImmediate);
    t.is(batches.length, turn + 1, 'one at a time');
    batches[turn]!.go.resolve();
  }
  t.deepEqual(await Promise.all(all), [['A'], ['B'], ['C'], ['D'], ['E']]);
  t.deepEqual(
    batches.map(({ inputs, session }) => [inputs.join(''), session]),
    [
      ['a', pool],
      ['bc', pool],
      ['d', transaction],
      ['e', pool],
    ],
  );
});

test('a batch whose handler throws does not fail the others', async (t) => {
  const { batches, handle } = open();
  const first = handle(callsOf('a'), pool);
  const sound = handle(callsOf('b'), pool);
  const broken = handle(callsOf('broken'), pool);
  const last = handle(callsOf('c'), pool);
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise(setImmediate);
    batches[turn]!.go.resolve();
  }
  await t.throwsAsync(broken, { message: 'broken' });
  t.deepEqual(await Promise.all([first, sound, last]), [['A'], ['B'], ['C']]);
});

test('at most 256 calls are merged', async (t) => {
  const { batches, handle } = open();
  const many = (count: number) => callsOf(...Array.from({ length: count }, () => 'x'));
  const all = [1, 100, 100, 100, 300, 1].map((count) => handle(many(count), pool));
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

test('at most 1 MiB of calls is merged', async (t) => {
  const { batches, handle } = open();
  const large = () => callsOf('x').map((call) => ({ ...call, bytes: 400 * 1024 }));
  const all = Array.from({ length: 5 }, () => handle(large(), pool));
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    batches[turn]!.go.resolve();
  }
  await Promise.all(all);
  t.deepEqual(
    batches.map(({ inputs }) => inputs.length),
    [1, 2, 2],
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
  const first = handle(callsOf('a'), pool);
  const others = ['b', 'c'].map((input) => handle(callsOf(input), pool));
  gate.resolve();
  t.deepEqual(await first, ['done']);
  for (const other of others) await t.throwsAsync(other, { code: 'timeout' });
  t.is(handled, 2);
});
