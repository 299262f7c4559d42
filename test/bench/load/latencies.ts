export interface Percentiles {
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

/** Percentiles of durations in milliseconds; zeros if there are none. */
export function percentilesOf(times: readonly number[]): Percentiles {
  const sorted = Float64Array.from(times).toSorted();
  return {
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

/** The smallest value that at least this share of all values does not exceed (nearest rank). */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
