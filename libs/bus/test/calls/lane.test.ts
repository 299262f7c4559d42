import test from 'ava';
import { Lane } from '../../calls/server/lane.js';

/** A lane whose items are handled until they are released. */
function laneOf(options: { concurrency: number; waitingMax: number; workspaceMax?: number }) {
  const working = new Map<string, () => void>();
  const lane = new Lane<string>((item) => new Promise((resolve) => working.set(item, resolve)), {
    ...options,
    // An item that begins with * belongs to several workspaces.
    workspaceOf: (item) => (item.startsWith('*') ? undefined : item[0]),
  });
  const release = async (item: string) => {
    working.get(item)!();
    working.delete(item);
    await new Promise(setImmediate);
  };
  return { lane, release, working: () => [...working.keys()].join(' ') };
}

test('a lane with one slot per workspace handles its items one at a time, and lets those of others pass', async (t) => {
  const { lane, release, working } = laneOf({ concurrency: 2, waitingMax: 3, workspaceMax: 1 });
  for (const item of ['a1', 'a2', 'a3', 'b1']) t.is(lane.take(item), undefined);
  t.is(working(), 'a1 b1');
  t.is(lane.take('b2'), undefined);
  t.is(lane.take('b3'), 'b3', 'three are waiting');
  await release('b1');
  t.is(working(), 'a1 b2');
  await release('b2');
  t.is(working(), 'a1', 'the others wait for it');
  t.is(lane.take('c1'), undefined);
  t.is(working(), 'a1 c1');
  await release('a1');
  t.is(working(), 'c1 a2');
  const idle = lane.idle();
  for (const item of ['c1', 'a2', 'a3']) await release(item);
  await t.notThrowsAsync(idle);
});

test('a workspace leaves slots above its share to others', async (t) => {
  const { lane, release, working } = laneOf({ concurrency: 3, waitingMax: 9, workspaceMax: 2 });
  for (const item of ['a1', 'a2', 'a3']) lane.take(item);
  t.is(working(), 'a1 a2');
  lane.take('b1');
  t.is(working(), 'a1 a2 b1');
  await release('b1');
  t.is(working(), 'a1 a2');
  await release('a1');
  t.is(working(), 'a2 a3');
});

test('an item of the workspace with the fewest items in progress is next, in the order of arrival', async (t) => {
  const { lane, release, working } = laneOf({ concurrency: 2, waitingMax: 9 });
  for (const item of ['a1', 'a2', 'a3', 'b1', '*1', 'b2']) lane.take(item);
  t.is(working(), 'a1 a2');
  await release('a1');
  t.is(working(), 'a2 b1');
  await release('a2');
  t.is(working(), 'b1 a3');
  await release('a3');
  t.is(working(), 'b1 *1', 'before another of b');
});

test('a full lane refuses the last item of the workspace with the most waiting items', (t) => {
  const { lane } = laneOf({ concurrency: 1, waitingMax: 4 });
  for (const item of ['x1', 'a1', 'a2', 'a3', 'a4']) t.is(lane.take(item), undefined);
  t.is(lane.take('a5'), 'a5');
  t.is(lane.take('*1'), 'a4');
  t.is(lane.take('b1'), 'a3');
  t.is(lane.take('b2'), 'b2', 'it would have as many as the other');
  t.is(lane.take('c1'), 'a2');
  t.is(lane.take('d1'), 'd1', 'no workspace has several');
});
