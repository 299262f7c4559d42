/** The name that a misspelled one probably means, ignoring case; undefined if none differs by less than a third of it. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let max = Math.min(3, Math.floor(name.length / 3));
  let nearest: string | undefined;
  for (const other of names) {
    const distance = distanceOf(wanted, other.toLowerCase(), max);
    if (distance > max) continue;
    nearest = other;
    if (distance === 0) break;
    max = distance - 1;
  }
  return nearest;
}

/**
 * Optimal string alignment distance: insertions, deletions, substitutions, and transpositions of neighbours. Infinite if it is
 * greater than `max`: only cells that far from the diagonal are computed.
 */
function distanceOf(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = Array.from({ length: other.length + 1 }, () => Infinity);
    row[0] = i;
    for (let j = Math.max(1, i - max); j <= Math.min(other.length, i + max); j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    [beforeLast, last] = [last, row];
  }
  const distance = last[other.length]!;
  return distance > max ? Infinity : distance;
}
