/** `npm run test:faults [-- --minutes 3 --seed N --rate 200]`: the whole system under load, killed and paused at random. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runFaults } from './fault-run.js';
import { rollBackNats } from './nats-rollback.js';
import { ProcessFaults } from './process-faults.js';
import type { Reconciliation } from './reconcile.js';
import { report } from './report.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rate: { type: 'string', default: '200' },
  },
});
const seed = Number(values.seed);
const shared = {
  seed,
  changesPerSecond: Number(values.rate),
  env: {
    RETRY_SCHEDULE_SECONDS: '1,1,2,2,4,4,8,8,8',
    ATTEMPT_TIMEOUT_MS: '2000',
    LEASE_SECONDS: '5',
    PAUSE_SECONDS: '1',
    PAUSE_SECONDS_MAX: '8',
  },
  settleSeconds: 240,
  say: (line: string) => console.log(line),
};

console.log(`Seed ${seed}: killing and pausing for ${values.minutes} minutes.`);
const faults = await runFaults({
  ...shared,
  seconds: Number(values.minutes) * 60,
  harm: (roster, random) =>
    new ProcessFaults(roster.home, {
      random,
      gapSeconds: [1, 4],
      pauseSeconds: [1, 20],
      say: shared.say,
    }),
});
console.log(report(faults));

console.log('\nThe storage of NATS set back by 30 s.');
const rollback = await runFaults({
  ...shared,
  seconds: 45,
  harm: (roster) => rollBackNats(roster.home, { afterSeconds: 5, bySeconds: 30, say: shared.say }),
});
console.log(report(rollback));

const failed = (result: Reconciliation) =>
  result.findings.some(({ against }) => against.length > 0);
process.exitCode = failed(faults) || failed(rollback) ? 1 : 0;
// The channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect();
