import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { WakeableSleep, WorkLoop } from '../work-loop.js';

/** Sleeps of a test never end by themselves. */
const longMs = 1_000_000;
const onFailure = () => {};

test('a wake-up ends all sleeps in progress, and those that ended before do not keep others asleep', async (t) => {
  const sleep = new WakeableSleep();
  const [first, ...others] = [sleep.for(1), sleep.for(longMs), sleep.for(longMs)];
  await first;
  sleep.wake();
  await t.notThrowsAsync(Promise.all(others));
});

test('a wake-up while nothing sleeps ends the next sleep only', async (t) => {
  const sleep = new WakeableSleep();
  sleep.wake();
  await sleep.for(longMs);
  const next = sleep.for(longMs).then(() => 'woken');
  t.is(await Promise.race([next, delay(0, 'asleep')]), 'asleep');
  sleep.wake();
  t.is(await next, 'woken');
});

test('steps follow one another while work is due, and sleep after the last, until the loop is woken', async (t) => {
  const due = [1, 2, 3];
  const done: number[] = [];
  let slept = Promise.withResolvers<void>();
  const loop = new WorkLoop({
    step: async () => {
      const next = due.shift();
      if (next === undefined) {
        slept.resolve();
        return longMs;
      }
      done.push(next);
      return 0;
    },
    pauseMs: longMs,
    onFailure,
  });
  await slept.promise;
  t.deepEqual(done, [1, 2, 3]);
  slept = Promise.withResolvers();
  due.push(4);
  loop.wake();
  await slept.promise;
  t.deepEqual(done, [1, 2, 3, 4]);
  await loop.stop();
});

test('a step that fails is reported, and another one follows the pause', async (t) => {
  const failure = new Error('failed');
  const reported: unknown[] = [];
  const again = Promise.withResolvers<void>();
  let steps = 0;
  const loop = new WorkLoop({
    step: async () => {
      steps += 1;
      if (steps === 1) throw failure;
      again.resolve();
      return longMs;
    },
    pauseMs: 1,
    onFailure: (error) => reported.push(error),
  });
  await again.promise;
  await loop.stop();
  t.deepEqual(reported, [failure]);
});

test('loops that share a sleep all stop', async (t) => {
  const sleep = new WakeableSleep();
  const loops = [1, 5, longMs].map(
    (ms) => new WorkLoop({ step: () => Promise.resolve(ms), pauseMs: longMs, onFailure, sleep }),
  );
  await delay(0);
  await t.notThrowsAsync(Promise.all(loops.map((loop) => loop.stop())));
});
