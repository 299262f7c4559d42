import { mock } from 'node:test';
import { schedulesToTry } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { sizes, steps, World } from './model/world.js';

/** ROSTER_SCHEDULES=100000 tries more; ROSTER_SEED repeats a failure. See CONTRIBUTING.md. */
const schedules = schedulesToTry(1000);

test('an event is acknowledged when all its deliveries are recorded, and is sent again only after a fault, whatever the order of steps and whichever process dies', async (t) => {
  t.timeout(schedules.numRuns * 60 + 60_000);
  t.teardown(() => mock.timers.reset());
  const tick = (ms: number) => mock.timers.tick(ms);
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), sizes, steps, async (scheduler, given, all) => {
      // Removes the timers of the last run.
      mock.timers.reset();
      mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
      const problems = await new World(scheduler, { tick }, given).run(all);
      if (problems.length > 0) throw new Error(problems.join('; '));
    }),
    schedules,
  );
  t.pass();
});
