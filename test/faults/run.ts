/** `npm run test:faults [-- --minutes 3 --seed N --rate 200]`: the whole system under load, with faults at random. */
import { randomInt } from 'node:crypto';
import { optionsOfProcess } from '../command-line/read-options.js';
import { runFaults } from './fault-run.js';
import { linkFaults } from './link-faults.js';
import { withLinkedServers } from './linked-servers.js';
import { rollBackNats } from './nats-rollback.js';
import { patientEnv } from './patient-env.js';
import { processFaults } from './process-faults.js';
import { RandomFaults } from './random-faults.js';
import type { Reconciliation } from './reconcile.js';
import { hasFailed, report } from './report.js';
import { sessionFaults } from './session-faults.js';

const { minutes, seed, rate } = optionsOfProcess({
  minutes: 3,
  seed: randomInt(1, 2 ** 31),
  rate: 200,
});
const print = (line: string) => console.log(line);
const shared = { seed, changesPerSecond: rate, settleSeconds: 240, print };
const randomly = { gapSeconds: [1, 4], lastSeconds: [1, 20], print } as const;
/** The share of deliveries that may be accepted more than once while no process is killed. */
const repeatedMax = 0.001;

/** Each part of a run, with its share of the time. */
const parts: Record<string, () => Promise<Reconciliation>> = {
  'Killing and pausing processes': () =>
    runFaults({
      ...shared,
      env: patientEnv,
      seconds: minutes * 30,
      harm: ({ home }, random) => new RandomFaults(processFaults(home), { ...randomly, random }),
    }),
  'Cutting, stalling and slowing the links to PostgreSQL and NATS': () =>
    withLinkedServers(({ env, links, databaseUrl }) =>
      runFaults({
        ...shared,
        databaseUrl,
        env: { ...patientEnv, ...env },
        seconds: minutes * 15,
        harm: (_, random) => new RandomFaults(linkFaults(links), { ...randomly, random }),
      }),
    ),
  'Holding locks and taking connections in PostgreSQL': () =>
    runFaults({
      ...shared,
      env: patientEnv,
      seconds: minutes * 15,
      repeatedMax,
      harm: ({ databaseUrl }, random) =>
        new RandomFaults(sessionFaults(databaseUrl), { ...randomly, random }),
    }),
  'Rolling back the storage of NATS by 30 s': () =>
    runFaults({
      ...shared,
      env: patientEnv,
      seconds: 45,
      harm: ({ home }) => rollBackNats(home, { afterSeconds: 5, bySeconds: 30, print }),
    }),
};

print(`Seed ${seed}, ${minutes} minutes.`);
for (const [title, run] of Object.entries(parts)) {
  print(`\n${title}`);
  const result = await run();
  print(report(result));
  if (hasFailed(result)) process.exitCode = 1;
}
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();
