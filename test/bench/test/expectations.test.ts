import test from 'ava';
import { expectations, judge } from '../compare/expectations.js';
import { jobs } from '../jobs/jobs.js';

const expected = { throughput: 2, p99AtHalf: 1.5, p50AtOne: 2.5 };
const median = (value: number) => ({ median: value });

test('higher throughput is better, higher latency is worse, and the bound itself is accepted', (t) => {
  t.deepEqual(judge(expected, { throughput: median(2), p99AtHalf: median(1.5) }), {
    throughput: true,
    p99AtHalf: true,
  });
  t.deepEqual(judge(expected, { throughput: median(1.9), p99AtHalf: median(1.6) }), {
    throughput: false,
    p99AtHalf: false,
  });
});

test('slack is the factor by which a ratio may be worse', (t) => {
  t.deepEqual(judge(expected, { throughput: median(1), p99AtHalf: median(3) }, 2), {
    throughput: true,
    p99AtHalf: true,
  });
  t.deepEqual(judge(expected, { throughput: median(0.99), p99AtHalf: median(3.1) }, 2), {
    throughput: false,
    p99AtHalf: false,
  });
});

test('a contender without responses does not meet the expectation', (t) => {
  t.deepEqual(judge(expected, { throughput: median(Number.NaN), p99AtHalf: median(0 / 0) }), {
    throughput: false,
    p99AtHalf: false,
  });
});

test('loads that were not measured are not judged', (t) => {
  t.deepEqual(judge(expected, {}), {});
});

test('every expectation refers to an existing job', (t) => {
  for (const job of Object.keys(expectations)) t.true(Object.hasOwn(jobs, job), job);
});
