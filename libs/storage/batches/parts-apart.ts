/**
 * The parts of a batch in which rare calls are parts of their own, which follow those of the others. Without such calls, the parts
 * are those of the others.
 *
 * @param partsOf parts of the others, as indexes; undefined for one part
 * @param divide the rare calls, by default into one part each
 */
export function partsApart<C>(
  calls: readonly C[],
  isRare: (call: C) => boolean,
  partsOf: (others: readonly C[]) => number[][] | undefined = () => undefined,
  divide: (rare: number[]) => number[][] = (rare) => rare.map((index) => [index]),
): number[][] | undefined {
  if (!calls.some(isRare)) return partsOf(calls);
  const { rare = [], others = [] } = Object.groupBy(calls.keys(), (index) =>
    isRare(calls[index]!) ? 'rare' : 'others',
  );
  const rest = others.map((index) => calls[index]!);
  const parts = rest.length === 0 ? [] : (partsOf(rest) ?? [[...rest.keys()]]);
  return [...parts.map((part) => part.map((at) => others[at]!)), ...divide(rare)];
}
