import test from 'ava';
import { expectations, guards, judge } from '../compare/expectations.js';
import { jobs } from '../jobs/jobs.js';

const expected = { throughput: 2, throughputAt64: 1.5, p99AtHalf: 1.5, p50AtOne: 2.5 };
const median = (value: number) => ({ median: value });

test('higher throughput is better, higher latency is worse, and the bound itself is accepted', (t) => {
  const bounds = { throughput: median(2), throughputAt64: median(1.5), p99AtHalf: median(1.5) };
  t.deepEqual(judge(expected, bounds), { throughput: true, throughputAt64: true, p99AtHalf: true });
  const worse = { throughput: median(1.9), throughputAt64: median(1.4), p99AtHalf: median(1.6) };
  t.deepEqual(judge(expected, worse), {
    throughput: false,
    throughputAt64: false,
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
  for (const job of Object.keys({ ...expectations, ...guards }))
    t.true(Object.hasOwn(jobs, job), job);
});
