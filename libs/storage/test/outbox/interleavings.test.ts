import { schedulesToTry } from '@roster/testing';
import fc from 'fast-check';
import test from 'ava';
import { faults, steps, World } from './model/world.js';

/** ROSTER_SCHEDULES=100000 runs more schedules; ROSTER_SEED repeats a failure. See CONTRIBUTING.md. */
const schedules = schedulesToTry(5000);

test('every committed event reaches the stream, for any interleaving and any crash', async (t) => {
  t.timeout(schedules.numRuns * 60 + 60_000);
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), faults, steps, async (scheduler, given, all) => {
      const problems = await new World(scheduler, given).run(all);
      if (problems.length > 0) throw new Error(problems.join('; '));
    }),
    schedules,
  );
  t.pass();
});
