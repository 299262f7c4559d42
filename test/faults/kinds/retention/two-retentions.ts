import { join } from 'node:path';
import { freePort } from '@roster/embedded';
import { eventually } from '@roster/testing';
import pg from 'pg';
import { thisRelease } from '../../../cluster/release.js';
import { Replica } from '../../../cluster/replica.js';
import { environmentOf } from '../../../system/processes.js';
import type { RunningRoster } from '../../../system/running-roster.js';
import type { Fault } from '../../random-faults.js';
import { backdateWebhooks, PastEvents } from './past-events.js';
import { countDropped, recordDeliveries } from './recorded-deliveries.js';

/** For the dispatcher of the system. Events of the stream must not be older than what the other one keeps. */
export const longRetention = { RETENTION_DAYS: '30', EVENTS_MAX_AGE_SECONDS: '86400' };

/**
 * An attempt that times out is repeated, and its receiver may have accepted it: two dispatchers, one of which restarts, slow a busy
 * machine down, until answers arrive after shorter time-outs.
 */
export const patientAttempts = { ATTEMPT_TIMEOUT_MS: '5000', LEASE_SECONDS: '7' };

/** Longer than a dispatcher takes to drop partitions after its start, also on a busy machine. */
const dropTimeoutMs = 15_000;

/**
 * A second dispatcher, which keeps deliveries for a day, beside that of the system. Some events are three days old: whenever the
 * second dispatcher starts, it drops their partitions, which the first one uses.
 */
export class TwoRetentions {
  readonly #roster: RunningRoster;
  readonly #dispatcher: Replica;
  readonly #pastEvents: PastEvents;
  readonly #print: (line: string) => void;

  private constructor(
    roster: RunningRoster,
    dispatcher: Replica,
    pastEvents: PastEvents,
    print: (line: string) => void,
  ) {
    this.#roster = roster;
    this.#dispatcher = dispatcher;
    this.#pastEvents = pastEvents;
    this.#print = print;
  }

  /** Before the webhooks are created. */
  static async start(roster: RunningRoster, print: (line: string) => void): Promise<TwoRetentions> {
    const { home, databaseUrl } = roster;
    await query(databaseUrl, `create schema faults; ${recordDeliveries()} ${backdateWebhooks}`);
    const dispatcher = new Replica({
      name: 'dispatcher',
      id: 'dispatcher with RETENTION_DAYS=1',
      adminPort: await freePort(),
      logFile: join(home, 'logs', 'dispatcher-with-short-retention.log'),
    });
    await launch(dispatcher, home);
    return new TwoRetentions(roster, dispatcher, await PastEvents.start(roster), print);
  }

  get faults(): Fault[] {
    return [
      {
        name: 'the dispatcher with the shorter retention restarts',
        inflict: async (wait) => {
          await this.#restart();
          await wait();
          return true;
        },
      },
    ];
  }

  /** Ends the second dispatcher once it has dropped partitions that were in use. */
  async stop(): Promise<void> {
    await this.#pastEvents.stop();
    await eventually(
      async () => {
        if (await this.#hasDropped()) return true;
        await this.#restart();
        return false;
      },
      { timeoutMs: 5 * dropTimeoutMs, describe: 'deliveries to be dropped' },
    );
    await this.#dispatcher.stop();
  }

  async #restart(): Promise<void> {
    await this.#dispatcher.stop();
    await launch(this.#dispatcher, this.#roster.home);
  }

  /** Whether deliveries are dropped within the time that it takes, and none is left in the queue without its event. */
  async #hasDropped(): Promise<boolean> {
    let dropped = 0;
    try {
      await eventually(
        async () => {
          const [row] = await query<Dropped>(this.#roster.databaseUrl, countDropped);
          dropped = row!.dropped;
          return dropped > 0 && row!.left === 0;
        },
        { timeoutMs: dropTimeoutMs },
      );
    } catch {
      return false;
    }
    this.#print(`       ${dropped} deliveries of three days ago were dropped by retention`);
    return true;
  }
}

interface Dropped {
  dropped: number;
  left: number;
}

/** With the environment of the dispatcher of the system. */
async function launch(dispatcher: Replica, home: string): Promise<void> {
  const env = environmentOf(home, 'dispatcher');
  await dispatcher.start({ release: thisRelease, env: { ...env, RETENTION_DAYS: '1' } });
}

async function query<Row extends object>(databaseUrl: string, text: string): Promise<Row[]> {
  const session = new pg.Client({ connectionString: databaseUrl });
  await session.connect();
  try {
    return (await session.query<Row>(text)).rows;
  } finally {
    await session.end();
  }
}
