/** Upper bounds of the buckets, in milliseconds. One more bucket counts longer durations. */
export const durationBoundsMs = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000,
  7000, 10_000, 15_000,
] as const;

export const durationBuckets = durationBoundsMs.length + 1;

/** Index of the bucket of a duration. */
export function bucketOf(ms: number): number {
  const index = durationBoundsMs.findIndex((bound) => ms <= bound);
  return index === -1 ? durationBoundsMs.length : index;
}

/** A quantile, interpolated within its bucket; null without durations. */
export function quantile(counts: readonly number[], q: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = q * total;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const low = durationBoundsMs[index - 1] ?? 0;
      const high = durationBoundsMs[index] ?? durationBoundsMs.at(-1)! * 2;
      return Math.round((low + (high - low) * ((rank - below) / count)) * 10) / 10;
    }
    below += count;
  }
  return null;
}
