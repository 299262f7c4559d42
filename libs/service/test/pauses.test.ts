import { steadyNow } from '@roster/bus';
import test from 'ava';
import { Pauses } from '../batches/pauses.js';

const caller = { workspaceId: 'own', userId: '', keyId: '', scopes: [] };

/** The pauses before slices of the given durations, of a call whose deadline is in a minute. */
async function pausesOf(sliceMs: readonly number[], isOtherActive: () => boolean) {
  let now = 0;
  const waited: number[] = [];
  const pauses = new Pauses(
    { isOtherActive },
    { caller, deadline: steadyNow() + 60_000 },
    {
      now: () => now,
      wait(ms) {
        waited.push(ms);
        now += ms;
        return Promise.resolve();
      },
    },
  );
  for (const ms of sliceMs) {
    await pauses.beforeSlice();
    now += ms;
  }
  return waited;
}

test('pauses between slices, each time for as long as the slice before took', async (t) => {
  t.deepEqual(await pausesOf([10, 20, 30], () => true), [10, 20]);
});

test('does not pause while no other workspace is active', async (t) => {
  t.deepEqual(await pausesOf([10, 20, 30], () => false), []);
  let asked = 0;
  t.deepEqual(await pausesOf([10, 20, 30], () => (asked += 1) === 2), [20]);
});

test('does not pause after a quarter of the time until the deadline', async (t) => {
  t.deepEqual(await pausesOf([13_500, 400, 100, 100], () => true), [1000, 100]);
});

test('pauses for a second at most, within which no transaction ends for being idle', async (t) => {
  t.deepEqual(await pausesOf([1500, 10], () => true), [1000]);
});
