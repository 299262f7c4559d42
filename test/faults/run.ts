/** `npm run test:faults [-- --minutes 3 --seed N --rate 200]`: the whole system under load, killed and paused at random. */
import { randomInt } from 'node:crypto';
import { optionsOfProcess } from '../command-line/read-options.js';
import { runFaults } from './fault-run.js';
import { rollBackNats } from './nats-rollback.js';
import { ProcessFaults } from './process-faults.js';
import { patientEnv } from './patient-env.js';
import { hasFailed, report } from './report.js';

const { minutes, seed, rate } = optionsOfProcess({
  minutes: 3,
  seed: randomInt(1, 2 ** 31),
  rate: 200,
});
const shared = {
  seed,
  changesPerSecond: rate,
  env: patientEnv,
  settleSeconds: 240,
  say: (line: string) => console.log(line),
};

console.log(`Seed ${seed}: killing and pausing for ${minutes} minutes.`);
const faults = await runFaults({
  ...shared,
  seconds: minutes * 60,
  harm: (roster, random) =>
    new ProcessFaults(roster.home, {
      random,
      gapSeconds: [1, 4],
      pauseSeconds: [1, 20],
      say: shared.say,
    }),
});
console.log(report(faults));

console.log('\nRolling back the storage of NATS by 30 s.');
const rollback = await runFaults({
  ...shared,
  seconds: 45,
  harm: (roster) => rollBackNats(roster.home, { afterSeconds: 5, bySeconds: 30, say: shared.say }),
});
console.log(report(rollback));

process.exitCode = hasFailed(faults) || hasFailed(rollback) ? 1 : 0;
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();
