/**
 * Welch's t: how many standard errors the mean of the other sample is above that of the first. If both have one distribution, it is within
 * -5 and 5 all but once in a million times. Infinite if a sample is too small, or neither varies and their means differ.
 */
export function welchT(one: readonly number[], other: readonly number[]): number {
  if (one.length < 2 || other.length < 2) return Infinity;
  const difference = mean(other) - mean(one);
  if (difference === 0) return 0;
  return difference / Math.sqrt(squaredError(one) + squaredError(other));
}

const mean = (sample: readonly number[]): number =>
  sample.reduce((sum, value) => sum + value, 0) / sample.length;

/** The square of the standard error of the mean. */
function squaredError(sample: readonly number[]): number {
  const center = mean(sample);
  const squares = sample.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return squares / (sample.length - 1) / sample.length;
}
