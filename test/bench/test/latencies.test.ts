import test from 'ava';
import { medianOf, percentile, percentilesOf } from '../load/latencies.js';

test('a percentile is the smallest value that the given share does not exceed, regardless of the order', (t) => {
  const hundred = Array.from({ length: 100 }, (_, n) => ((n * 37) % 100) + 1);
  t.deepEqual(percentilesOf(hundred), { p50: 50, p90: 90, p99: 99, max: 100 });
  t.deepEqual(percentilesOf([9, 100, 10]), { p50: 10, p90: 100, p99: 100, max: 100 });
  t.is(percentile([5], 0.99), 5);
});

test('percentiles without values are zero', (t) => {
  t.deepEqual(percentilesOf([]), { p50: 0, p90: 0, p99: 0, max: 0 });
});

test('a median is the middle value, or the mean of the two middle values', (t) => {
  t.is(medianOf([30, 1, 2]), 2);
  t.is(medianOf([4, 1, 10, 2]), 3);
});
