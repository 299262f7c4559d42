import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { inSlices } from '../batches/in-slices.js';

test('maps items in order, at most a slice of them in one turn of the event loop', async (t) => {
  const sizes: number[] = [];
  let mapped = 0;
  const results = inSlices([1, 2, 3, 4, 5], 2, (item) => {
    mapped += 1;
    return item * 10;
  });
  for (let before = 0; before < 5; before = mapped) {
    sizes.push(mapped - before);
    await setImmediate();
  }
  t.deepEqual(await results, [10, 20, 30, 40, 50]);
  t.true(
    sizes.every((size) => size <= 2),
    sizes.join(),
  );
});

test('maps a single slice without leaving the turn of the event loop', (t) => {
  let mapped = 0;
  void inSlices([1, 2], 2, () => (mapped += 1));
  t.is(mapped, 2);
});
