import test from 'ava';
import { quantile } from '../../delivery/count-attempts.js';

test('quantiles of a histogram lie within their buckets', (t) => {
  t.is(quantile([], 0.5), null);
  t.is(quantile([0, 10, 0], 0.5), 1.5);
  t.is(quantile([10, 0, 10], 0.95), 2.9);
});
