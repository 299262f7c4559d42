import test from 'ava';
import { UnderLoad } from '../checks/under-load.js';
import { Journal } from '../journal.js';
import { failureViolations, undisturbedViolations } from '../judge/phase.js';
import type { PhaseSummary } from '../pods/load-phase.js';

/** Phases of the load, in the order in which it reports them. */
function underLoad(...outcomes: (string | undefined)[]) {
  const lines: string[] = [];
  const journal = new Journal((line) => lines.push(line));
  const next = async (): Promise<PhaseSummary> => {
    const outcome = outcomes.shift();
    const failure = { at: 'then', operation: 'get', connection: 'kept' as const, ms: 7 };
    return {
      name: 'a phase',
      seconds: 1,
      requests: 20,
      unsent: 0,
      failures: outcome === undefined ? [] : [{ ...failure, outcome }],
      unresolved: 0,
      p99Ms: 20,
      slowestMs: 30,
    };
  };
  const load = new UnderLoad(
    journal,
    { begin: next, stop: next },
    { seconds: 0, requestsPerSecond: 20 },
  );
  return { load, journal, lines };
}
const nothing = async () => {};

test('a request that fails between two disturbances is reported before the second', async (t) => {
  const { load, journal, lines } = underLoad(undefined, undefined, '503', undefined);
  await load.phase('the first', undisturbedViolations, nothing);
  await load.phase('the second', undisturbedViolations, nothing);
  t.is(journal.verdict(), '1 passed, 1 failed');
  t.true(lines.some((line) => line.includes('outside of the disturbances: then get')));
});

test('after a failure, requests may fail with the same errors as during it, and with no others', async (t) => {
  const after = async (outcome: string) => {
    const { load } = underLoad(undefined, undefined, outcome);
    await load.phase('an interruption', failureViolations, nothing);
    return load.stop();
  };
  t.deepEqual(await after('503'), []);
  t.is((await after('500')).length, 1);
});

test('a request that fails after the last disturbance is reported', async (t) => {
  const { load } = underLoad(undefined, undefined, '503');
  await load.phase('the last', undisturbedViolations, nothing);
  t.is((await load.stop()).length, 1);
});

test('the requests during a disturbance that fails are evaluated for its own phase', async (t) => {
  const { load, journal, lines } = underLoad(undefined, '503', undefined, undefined);
  await load.phase('breaks off', undisturbedViolations, () =>
    Promise.reject(new Error('no such pod')),
  );
  await load.phase('goes well', undisturbedViolations, nothing);
  t.is(journal.verdict(), '1 passed, 1 failed');
  t.true(lines.some((line) => line.includes('no such pod')));
  t.true(lines.some((line) => line.includes('then get over a kept connection: 503')));
});
