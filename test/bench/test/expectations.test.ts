import test from 'ava';
import { expectations, judge } from '../compare/expectations.js';
import { jobs } from '../jobs/jobs.js';

const expected = { throughput: 2, p99AtHalf: 1.5, p50AtOne: 2.5 };
const median = (value: number) => ({ median: value });

test('more throughput is better, more latency is worse, and the bound itself will do', (t) => {
  t.deepEqual(judge(expected, { throughput: median(2), p99AtHalf: median(1.5) }), {
    throughput: true,
    p99AtHalf: true,
  });
  t.deepEqual(judge(expected, { throughput: median(1.9), p99AtHalf: median(1.6) }), {
    throughput: false,
    p99AtHalf: false,
  });
});

test('slack lets a ratio be so many times worse', (t) => {
  t.deepEqual(judge(expected, { throughput: median(1), p99AtHalf: median(3) }, 2), {
    throughput: true,
    p99AtHalf: true,
  });
  t.deepEqual(judge(expected, { throughput: median(0.99), p99AtHalf: median(3.1) }, 2), {
    throughput: false,
    p99AtHalf: false,
  });
});

test('a contender that answered nothing is not as expected', (t) => {
  t.deepEqual(judge(expected, { throughput: median(Number.NaN), p99AtHalf: median(0 / 0) }), {
    throughput: false,
    p99AtHalf: false,
  });
});

test('what was not measured is not judged', (t) => {
  t.deepEqual(judge(expected, {}), {});
});

test('every expectation is of a job that exists', (t) => {
  for (const job of Object.keys(expectations)) t.true(Object.hasOwn(jobs, job), job);
});
