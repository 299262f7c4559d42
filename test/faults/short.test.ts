import { randomInt } from 'node:crypto';
import test from 'ava';
import { runFaults } from './fault-run.js';
import { rollBackNats } from './nats-rollback.js';
import { ProcessFaults } from './process-faults.js';
import { report } from './report.js';

const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));
const shared = {
  seed,
  changesPerSecond: 60,
  env: {
    RETRY_SCHEDULE_SECONDS: '0.2,0.2,0.5,0.5,1,1,1,2,2',
    ATTEMPT_TIMEOUT_MS: '700',
    LEASE_SECONDS: '2',
    CIRCUIT_OPEN_SECONDS: '0.5',
    CIRCUIT_OPEN_SECONDS_MAX: '2',
  },
  settleSeconds: 60,
};

test.serial('no event is lost while processes are killed and paused', async (t) => {
  t.timeout(150_000);
  t.log(`FAULT_SEED=${seed}`);
  const result = await runFaults({
    ...shared,
    seconds: 12,
    say: (line) => t.log(line),
    harm: (roster, random) =>
      new ProcessFaults(roster.home, {
        random,
        gapSeconds: [0.3, 1.5],
        pauseSeconds: [0.5, 3],
        say: (line) => t.log(line),
      }),
  });
  t.log(report(result));
  for (const { promise, violations } of result.findings) t.deepEqual(violations, [], promise);
});

test.serial('no event is lost when the storage of NATS is rolled back by seconds', async (t) => {
  t.timeout(150_000);
  t.log(`FAULT_SEED=${seed}`);
  const result = await runFaults({
    ...shared,
    seconds: 5,
    say: (line) => t.log(line),
    harm: (roster) =>
      rollBackNats(roster.home, { afterSeconds: 1, bySeconds: 2, say: (line) => t.log(line) }),
  });
  t.log(report(result));
  for (const { promise, violations } of result.findings) t.deepEqual(violations, [], promise);
});
