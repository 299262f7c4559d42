import test from 'ava';
import { report } from '../replicas/report.js';
import { summarise, type Taken } from '../replicas/summarise.js';

/** Measurements of one job: CPU microseconds by clients and processes. */
const measured = (job: Taken['job'], costs: Record<string, number>): Taken[] =>
  Object.entries(costs).map(([at, micros]) => {
    const [clients, processes] = at.split('/').map(Number) as [number, number];
    const cpuMicros = { gateway: micros / 2, contacts: micros / 2, load: 1000, others: 1000 };
    return { job, clients, processes, figures: { perSecond: 1000, cpuMicros } };
  });
const costs = { '64/1': 100, '128/1': 90, '128/2': 120, '256/1': 80, '256/4': 121 };
const linesOf = (taken: readonly Taken[], start: string) =>
  report(summarise(taken)).filter((line) => line.startsWith(start));

test('the CPU time per request is judged with as many more clients as processes', (t) => {
  t.deepEqual(
    ['  get, 2 of each', '  get, 4 of each']
      .flatMap((start) => linesOf(measured('get', costs), start))
      .map((line) => line.replaceAll(/ +/g, ' ')),
    [' get, 2 of each 1.20 × ≤ 1.2 × ✓', ' get, 4 of each 1.21 × ≤ 1.2 × ✗'],
  );
});

test('a load that was not measured does not meet the expected value', (t) => {
  t.regex(linesOf(measured('create', { '64/1': 100 }), '  create, 4 of each')[0]!, /✗$/);
});

test('the empty handler and the same clients divided among more processes are not judged', (t) => {
  const taken = [...measured('empty koa', costs), ...measured('get', { '64/1': 1, '64/2': 9 })];
  t.notRegex(linesOf(taken, '  empty koa, 4 of each')[0]!, /[✓✗]/);
  t.regex(linesOf(taken, '  get, 64 clients, 2 of each')[0]!, /9 µs +9\.00 ×$/);
});

test('the CPU time per request excludes the load generator and other processes', (t) => {
  t.is(summarise(measured('get', { '64/1': 70 }))[0]!.cpuMicros, 70);
});
