import { randomInt } from 'node:crypto';
import { shortOrLong } from '@roster/testing';
import test from 'ava';
import { report } from '../faults/report.js';
import { reportPhases, runCluster } from './cluster-run.js';
import { killPrimary, killStreamLeader, restartInHalves } from './phases.js';

const seed = Number(process.env.CLUSTER_SEED ?? randomInt(2 ** 31));

test.serial(
  "two instances of every process survive the loss of the stream's leader and of the primary, and are restarted without a failed request",
  async (t) => {
    t.timeout(400_000);
    t.log(`CLUSTER_SEED=${seed}`);
    const result = await runCluster({
      seed,
      phases: [killStreamLeader, killPrimary, restartInHalves],
      requestsPerSecond: shortOrLong(15, 40),
      restSeconds: 2,
      settleSeconds: 90,
      env: {
        RETRY_SCHEDULE_SECONDS: '0.2,0.2,0.5,0.5,1,1,1,2,2',
        ATTEMPT_TIMEOUT_MS: '1000',
        LEASE_SECONDS: '3',
        CIRCUIT_OPEN_SECONDS: '0.5',
        CIRCUIT_OPEN_SECONDS_MAX: '2',
      },
      print: (line) => t.log(line),
    });
    t.log(reportPhases(result.phases));
    t.log(report(result));
    for (const { promise, violations } of result.findings) t.deepEqual(violations, [], promise);
  },
);
