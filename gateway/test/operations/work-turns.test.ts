import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { WorkTurns, type NextSlice } from '../../operations/work-turns.js';

/** Turns by a clock that advances only while slices are done, and in the pauses. */
function modelTurns(options: { turnMs?: number; share?: number; workspaceShare?: number } = {}) {
  const clock = { now: 0, workMs: 0, turns: 0 };
  const turns = new WorkTurns({
    turnMs: 2,
    workspaceShare: 1,
    ...options,
    now: () => clock.now,
    later: (work, pauseMs) => {
      void setImmediate().then(() => {
        clock.now += Math.max(0, pauseMs);
        clock.turns += 1;
        work();
      });
    },
  });
  const slice = async (next: NextSlice, ms: number) => {
    await next();
    clock.now += ms;
    clock.workMs += ms;
  };
  return { clock, turns, slice };
}

test('gives a slice when those before it have taken their time, to the workspaces in turn', async (t) => {
  const { turns } = modelTurns({ turnMs: 0 });
  const order: string[] = [];
  const slices = ['one', 'one', 'one', 'other', 'other'].map((workspaceId) =>
    turns
      .begin(workspaceId)()
      .then(() => order.push(workspaceId)),
  );
  await Promise.all(slices);
  t.deepEqual(order, ['one', 'other', 'one', 'other', 'one']);
});

test('a turn of the event loop ends with the slice that exceeds its time', async (t) => {
  const { clock, turns, slice } = modelTurns();
  const next = turns.begin('one');
  await Promise.all(Array.from({ length: 9 }, () => slice(next, 0.8)));
  t.is(clock.turns, 3);
});

test('continues the request of a workspace that began first', async (t) => {
  const { turns } = modelTurns();
  const order: string[] = [];
  const request = async (name: string, next: NextSlice) => {
    for (let slice = 0; slice < 3; slice += 1) {
      await next();
      order.push(name);
    }
  };
  const [first, second] = [turns.begin('one'), turns.begin('one')];
  await Promise.all([request('second', second), request('first', first)]);
  t.deepEqual(order, ['first', 'first', 'first', 'second', 'second', 'second']);
});

test('gives a slice to a workspace that returns after its last one', async (t) => {
  const turns = new WorkTurns();
  const [one, other] = [turns.begin('one'), turns.begin('other')];
  for (let slice = 0; slice < 3; slice += 1) await one();
  await Promise.all([one(), other()]);
  t.pass();
});

test('gives several slices in a turn of the event loop, each when the one before is done', async (t) => {
  const turns = new WorkTurns({ turnMs: Infinity });
  const steps: string[] = [];
  const slice = async (name: string) => {
    await turns.begin(name)();
    for (let step = 0; step < 5; step += 1) {
      steps.push(name);
      await Promise.resolve();
    }
  };
  const slices = Promise.all([slice('one'), slice('other')]);
  await setImmediate();
  t.deepEqual(
    steps,
    ['one', 'other'].flatMap((name) => Array.from({ length: 5 }, () => name)),
  );
  await slices;
});

test('slices of all workspaces together take their share of the time while others are active', async (t) => {
  const { clock, turns, slice } = modelTurns({ share: 0.25 });
  const heavy = ['one', 'two'].map((workspaceId) => turns.begin(workspaceId));
  for (let round = 0; round < 50; round += 1) {
    turns.requested('active');
    await Promise.all(heavy.map((next) => slice(next, 1.5)));
  }
  const share = clock.workMs / clock.now;
  t.true(share > 0.24 && share < 0.27, String(share));
});

test('the slices of one workspace take a smaller share, and others do not wait for it', async (t) => {
  const { clock, turns, slice } = modelTurns({ turnMs: 0, share: 0.5, workspaceShare: 0.2 });
  const repeat = async (workspaceId: string, sliceMs: number) => {
    let slices = 0;
    for (; clock.now < 500; slices += 1) {
      turns.requested(workspaceId);
      await slice(turns.begin(workspaceId), sliceMs);
    }
    return slices;
  };
  const [heavy, light] = await Promise.all([repeat('heavy', 1), repeat('light', 0.1)]);
  t.true(heavy > 60 && heavy <= 101, String(heavy));
  t.true(light > 4 * heavy, String(light));
});

test('slices are followed by pauses although none waits in between', async (t) => {
  const { clock, turns, slice } = modelTurns({ share: 0.5 });
  turns.requested('active');
  for (let n = 0; n < 10; n += 1) await slice(turns.begin('one'), 3);
  t.is(clock.workMs, 30);
  t.is(clock.now, 57);
});

test('slices of the only active workspace are given without pauses', async (t) => {
  const { clock, turns, slice } = modelTurns({ share: 0.25 });
  turns.requested('former');
  clock.now += 200;
  const next = turns.begin('one');
  for (let n = 0; n < 20; n += 1) {
    turns.requested('one');
    await slice(next, 3);
  }
  t.is(clock.now, 200 + clock.workMs);
});
