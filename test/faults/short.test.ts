import { randomInt } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { runFaults } from './fault-run.js';
import { linkFaults } from './link-faults.js';
import { withLinkedServers } from './linked-servers.js';
import { rollBackNats } from './nats-rollback.js';
import { processFaults } from './process-faults.js';
import { RandomFaults } from './random-faults.js';
import type { Reconciliation } from './reconcile.js';
import { report } from './report.js';
import { sessionFaults } from './session-faults.js';

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

const randomly = { gapSeconds: [0.3, 1.5], lastSeconds: [0.5, 3] } as const;

const parts: Record<string, (t: ExecutionContext) => Promise<Reconciliation>> = {
  'processes are killed and paused': (t) =>
    runFaults({
      ...sharedBy(t),
      seconds: 12,
      harm: ({ home }, random) =>
        new RandomFaults(processFaults(home), { ...randomly, ...sharedBy(t), random }),
    }),
  'links to PostgreSQL and NATS are cut, stalled and slowed': (t) =>
    withLinkedServers(({ env, links, databaseUrl }) =>
      runFaults({
        ...sharedBy(t),
        databaseUrl,
        env: { ...shared.env, ...env },
        seconds: 8,
        harm: (_, random) =>
          new RandomFaults(linkFaults(links), { ...randomly, ...sharedBy(t), random }),
      }),
    ),
  'sessions hold locks and take connections': (t) =>
    runFaults({
      ...sharedBy(t),
      seconds: 8,
      harm: ({ databaseUrl }, random) =>
        new RandomFaults(sessionFaults(databaseUrl), { ...randomly, ...sharedBy(t), random }),
    }),
  'the storage of NATS is rolled back by seconds': (t) =>
    runFaults({
      ...sharedBy(t),
      seconds: 5,
      harm: ({ home }) => rollBackNats(home, { afterSeconds: 1, bySeconds: 2, ...sharedBy(t) }),
    }),
};

for (const [what, run] of Object.entries(parts))
  test.serial(`no event is lost while ${what}`, async (t) => {
    t.timeout(150_000);
    t.log(`FAULT_SEED=${seed}`);
    const result = await run(t);
    t.log(report(result));
    for (const { promise, violations } of result.findings) t.deepEqual(violations, [], promise);
  });

function sharedBy(t: ExecutionContext) {
  return { ...shared, print: (line: string) => t.log(line) };
}
