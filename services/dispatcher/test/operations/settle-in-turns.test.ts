import { steadyNow, type Call } from '@roster/bus';
import { Fault, notFound, systemCaller } from '@roster/contracts';
import test from 'ava';
import { settleInTurns } from '../../operations/settle-in-turns.js';

const callOf = (input: number, deadline = Infinity): Call<number> => ({
  ...{ input, deadline },
  caller: systemCaller,
  requestId: String(input),
});

test('answers calls in their order, each separately', async (t) => {
  const calls = Array.from({ length: 20 }, (_, n) => callOf(n));
  const answers = await settleInTurns(calls, async ({ input }, index) => {
    if (input === 7) throw notFound('event');
    return { input, index };
  });
  t.deepEqual(
    answers.map((answer) => (answer instanceof Fault ? answer.code : answer)),
    calls.map(({ input }) => (input === 7 ? 'not_found' : { input, index: input })),
  );
});

test('refuses a call whose deadline passes before it is handled', async (t) => {
  const first = Promise.withResolvers<void>();
  const deadline = steadyNow() + 50;
  const calls = Array.from({ length: 9 }, (_, n) => callOf(n, n === 8 ? deadline : Infinity));
  const worked: number[] = [];
  const settled = settleInTurns(calls, async ({ input }) => {
    worked.push(input);
    await first.promise;
    return {};
  });
  while (steadyNow() <= deadline) await new Promise((resolve) => setImmediate(resolve));
  first.resolve();
  const last = (await settled).at(-1);
  t.true(last instanceof Fault && last.code === 'unavailable');
  t.deepEqual(worked, [0, 1, 2, 3, 4, 5, 6, 7]);
});
