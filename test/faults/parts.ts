import { runFaults, type FaultRun } from './fault-run.js';
import { clockFaults, createWebhooksAhead, passAnHour } from './kinds/clock-faults.js';
import { diskFaults } from './kinds/disks/disk-faults.js';
import { whyNoDisks, withLimitedDisks } from './kinds/disks/limited-disk.js';
import { linkFaults } from './kinds/link-faults.js';
import { withLinkedServers } from './kinds/linked-servers.js';
import { rollBackNats } from './kinds/nats-rollback.js';
import { processFaults } from './kinds/process-faults.js';
import { recordedDeliveries } from './kinds/retention/recorded-deliveries.js';
import { sessionFaults } from './kinds/session-faults.js';
import { longRetention, patientAttempts, TwoRetentions } from './kinds/retention/two-retentions.js';
import type { Random } from './random.js';
import { RandomFaults, type Fault } from './random-faults.js';
import type { Reconciliation } from './reconcile.js';

export interface PartOptions extends Omit<FaultRun, 'harm'> {
  /** Pause between faults. */
  gapSeconds: readonly [number, number];
  /** How long a fault lasts. */
  lastSeconds: readonly [number, number];
}

/** One kind of faults, on a system of its own. */
export interface Part {
  title: string;
  /** The greatest share of deliveries that receivers may accept more than once. Without: any, since these faults repeat attempts. */
  repeatedMax?: number;
  /** Why it cannot run here; undefined if it can. */
  whyNot?(): Promise<string | undefined>;
  run(options: PartOptions): Promise<Reconciliation>;
}

/** By the noun of what fails. */
export const parts = {
  processes: {
    title: 'processes are killed and paused',
    run: (options) =>
      runFaults({
        ...options,
        harm: ({ home }, random) => atRandom(processFaults(home), options, random),
      }),
  },
  links: {
    title: 'links to PostgreSQL and NATS are cut, stalled and slowed',
    run: (options) =>
      withLinkedServers(({ env, links, databaseUrl }) =>
        runFaults({
          ...options,
          databaseUrl,
          env: { ...options.env, ...env },
          harm: (_, random) => atRandom(linkFaults(links), options, random),
        }),
      ),
  },
  sessions: {
    title: 'sessions hold locks and take connections',
    repeatedMax: 0.001,
    run: (options) =>
      runFaults({
        ...options,
        harm: ({ databaseUrl }, random) => atRandom(sessionFaults(databaseUrl), options, random),
      }),
  },
  disks: {
    title: 'the disks of PostgreSQL and NATS are full',
    whyNot: whyNoDisks,
    run: (options) =>
      withLimitedDisks((limited) =>
        runFaults({
          ...options,
          home: limited.home,
          harm: (_, random) => atRandom(diskFaults(limited), options, random),
        }),
      ),
  },
  clocks: {
    title: 'the clock of one process or server alone steps by an hour',
    repeatedMax: 0.001,
    run: (options) =>
      runFaults({
        ...options,
        prepare: ({ home }) => createWebhooksAhead(home),
        harm({ home }, random) {
          const faults = atRandom(clockFaults(home, options.print), options, random);
          return {
            async stop() {
              await faults.stop();
              await passAnHour(home);
            },
          };
        },
      }),
  },
  storage: {
    title: 'the storage of NATS is rolled back by seconds',
    run: (options) =>
      runFaults({
        ...options,
        harm: ({ home }) =>
          rollBackNats(home, {
            afterSeconds: options.seconds / 6,
            bySeconds: (options.seconds * 2) / 3,
            print: options.print,
          }),
      }),
  },
  retention: {
    title: 'one of two dispatchers drops partitions that the other uses',
    repeatedMax: 0.001,
    run(options) {
      let retentions: TwoRetentions;
      return runFaults({
        ...options,
        env: { ...options.env, ...longRetention, ...patientAttempts },
        deliveries: recordedDeliveries,
        prepare: async (roster) => (retentions = await TwoRetentions.start(roster, options.print)),
        harm(_, random) {
          const faults = atRandom(retentions.faults, options, random);
          return {
            async stop() {
              await faults.stop();
              await retentions.stop();
            },
          };
        },
      });
    },
  },
} satisfies Record<string, Part>;

const atRandom = (faults: readonly Fault[], options: PartOptions, random: Random): RandomFaults =>
  new RandomFaults(faults, { ...options, random });
