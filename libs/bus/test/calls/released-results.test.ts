import test from 'ava';
import { ReleasedResults } from '../../calls/batching/released-results.js';

test('at most 8 MiB of results that were read stay in memory', (t) => {
  let collections = 0;
  const released = new ReleasedResults(() => {
    collections += 1;
  });
  for (let n = 0; n < 100; n += 1) {
    released.add(1024 * 1024);
    t.true(released.bytes < 8 * 1024 * 1024);
  }
  t.is(collections, 12);
});
