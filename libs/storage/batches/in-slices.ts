import { setImmediate } from 'node:timers/promises';

/**
 * Maps items in slices of at most `sliceMax`, each in its own turn of the event loop, so that other calls do not wait for all of
 * them.
 */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  sliceMax: number,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % sliceMax === 0) await setImmediate();
    results.push(map(item));
  }
  return results;
}
