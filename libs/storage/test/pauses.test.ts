import { steadyNow } from '@roster/bus';
import test from 'ava';
import { Pauses } from '../batches/pauses.js';

const callOf = (workspaceId: string, ms = 60_000) => ({
  caller: { workspaceId, userId: '', keyId: '', scopes: [] },
  deadline: steadyNow() + ms,
});

/** Pauses by a clock that advances only in slices and pauses. */
function modelPauses(isOtherActive: () => boolean) {
  const clock = { now: 0, waited: [] as number[] };
  const pauses = new Pauses(
    { isOtherActive },
    {
      now: () => clock.now,
      wait(ms) {
        clock.waited.push(Math.round(ms));
        clock.now += ms;
        return Promise.resolve();
      },
    },
  );
  const slicesOf = (workspaceId: string, sliceMs: readonly number[]) =>
    pauses.handle(callOf(workspaceId), sliceMs, async (ms) => {
      clock.now += ms;
    });
  return { clock, pauses, slicesOf };
}

test('the slices of a workspace take a fifth of the time while another one is active', async (t) => {
  const { clock, slicesOf } = modelPauses(() => true);
  await slicesOf('own', [10, 20, 30]);
  t.deepEqual(clock.waited, [40, 80]);
});

test('pauses continue with the next call of a workspace, also after a failure, and do not concern others', async (t) => {
  const { clock, pauses, slicesOf } = modelPauses(() => true);
  await slicesOf('own', [10]);
  await slicesOf('other', [5]);
  await slicesOf('own', [10]);
  t.deepEqual(clock.waited, [35]);
  const failing = pauses.handle(callOf('own'), [10], async (ms) => {
    clock.now += ms;
    throw new Error('failed');
  });
  await t.throwsAsync(failing, { message: 'failed' });
  await slicesOf('own', [10]);
  t.deepEqual(clock.waited, [35, 40, 40]);
});

test('does not pause while no other workspace is active', async (t) => {
  const alone = modelPauses(() => false);
  await alone.slicesOf('own', [10, 20, 30]);
  await alone.slicesOf('own', [10]);
  t.deepEqual(alone.clock.waited, []);
});

test('does not pause after a quarter of the time until the deadline', async (t) => {
  const { clock, slicesOf } = modelPauses(() => true);
  await slicesOf('own', [13_500, 400, 100, 100]);
  t.deepEqual(clock.waited, [1000, 100]);
});

test('pauses for a second at most, within which no transaction ends for being idle', async (t) => {
  const { clock, slicesOf } = modelPauses(() => true);
  await slicesOf('own', [1500, 10]);
  t.deepEqual(clock.waited, [1000]);
});

test('forgets workspaces whose next slice would not wait', async (t) => {
  const { clock, pauses, slicesOf } = modelPauses(() => true);
  for (let n = 0; n < 100; n += 1) await slicesOf(`workspace ${n}`, [1]);
  t.true(pauses.size <= 6, String(pauses.size));
  clock.now += 100;
  await slicesOf('last', [1]);
  t.is(pauses.size, 1);
});
