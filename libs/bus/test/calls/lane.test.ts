import test from 'ava';
import { Lane } from '../../calls/server/lane.js';

/** A lane whose items are handled until they are released. */
function laneOf(options: { concurrency: number; waitingMax: number }) {
  const working = new Map<string, () => void>();
  const lane = new Lane<string>((item) => new Promise((resolve) => working.set(item, resolve)), {
    ...options,
    singleBy: (item) => item[0],
  });
  const release = async (item: string) => {
    working.get(item)!();
    working.delete(item);
    await new Promise(setImmediate);
  };
  return { lane, release, working: () => [...working.keys()].join(' ') };
}

test('handles one item of a name at a time, and lets items of other names pass', async (t) => {
  const { lane, release, working } = laneOf({ concurrency: 2, waitingMax: 3 });
  for (const item of ['a1', 'a2', 'a3', 'b1']) t.true(lane.take(item));
  t.is(working(), 'a1 b1');
  t.true(lane.take('b2'));
  t.false(lane.take('b3'), 'three are waiting');
  await release('b1');
  t.is(working(), 'a1 b2');
  await release('b2');
  t.is(working(), 'a1', 'the others wait for it');
  t.true(lane.take('c1'));
  t.is(working(), 'a1 c1');
  await release('a1');
  t.is(working(), 'c1 a2');
  const idle = lane.idle();
  for (const item of ['c1', 'a2', 'a3']) await release(item);
  await t.notThrowsAsync(idle);
});
