/** Handles the items that have no result yet, if there are any, and returns the results of all. */
export async function answerOpen<Item, Result>(
  items: readonly Item[],
  results: readonly (Result | undefined)[],
  handle: (open: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const isOpen = (_: unknown, index: number) => results[index] === undefined;
  const open = items.filter(isOpen);
  if (open.length === 0) return results as Result[];
  const given = (await handle(open)).values();
  return items.map((_, index) => results[index] ?? given.next().value!);
}
