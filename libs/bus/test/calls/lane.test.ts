import { eventually } from '@roster/testing';
import test from 'ava';
import { Lane } from '../../calls/server/lane.js';

/** A lane whose items are handled until they are released. */
function laneOf(
  options: { concurrency: number; waitingMax: number; workspaceMax?: number },
  overdue: ReadonlySet<string> = new Set(),
) {
  const late: string[] = [];
  const working = new Map<string, () => void>();
  const lane = new Lane<string>((item) => new Promise((resolve) => working.set(item, resolve)), {
    ...options,
    // An item that begins with * belongs to several workspaces.
    workspaceOf: (item) => (item.startsWith('*') ? undefined : item[0]),
    isLate: (item) => overdue.has(item),
    onLate: (item) => late.push(item),
  });
  const release = async (item: string) => {
    working.get(item)!();
    working.delete(item);
    await new Promise(setImmediate);
  };
  return { lane, late, release, working: () => [...working.keys()].join(' ') };
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

test('an item that has waited for too long is not handled, whereas those in progress are', async (t) => {
  const overdue = new Set<string>();
  const { lane, late, release, working } = laneOf({ concurrency: 1, waitingMax: 4 }, overdue);
  for (const item of ['a1', 'a2', 'b1', 'b2']) lane.take(item);
  for (const item of ['a1', 'a2', 'b2']) overdue.add(item);
  await eventually(() => late.length > 0);
  t.deepEqual(late, ['a2', 'b2']);
  await release('a1');
  t.is(working(), 'b1');
  const idle = lane.idle();
  await release('b1');
  await t.notThrowsAsync(idle);
  lane.take('c1');
  lane.take('c2');
  overdue.add('c2');
  await eventually(() => late.length === 3);
  t.is(working(), 'c1');
});
