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
 * greater than `max`. Only cells near the diagonal are computed, in arrays that are reused: a workspace can have a thousand names.
 */
function distanceOf(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return Infinity;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [from, to] = [one.slice(start), other.slice(start)];
  let [beforeLast, last, row] = rows;
  for (let j = 0; j <= to.length; j += 1) last[j] = j;
  for (let i = 1; i <= from.length; i += 1) {
    const [first, end] = [Math.max(1, i - max), Math.min(to.length, i + max)];
    row[first - 1] = first === 1 ? i : Infinity;
    let least = row[first - 1]!;
    for (let j = first; j <= end; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
      least = Math.min(least, row[j]!);
    }
    if (least > max) return Infinity;
    row[end + 1] = Infinity;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  const distance = last[to.length]!;
  return distance > max ? Infinity : distance;
}

/** Longer than names, which have 64 characters at most. */
const rowLength = 128;
const rows = [0, 1, 2].map(() => new Float64Array(rowLength)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];
