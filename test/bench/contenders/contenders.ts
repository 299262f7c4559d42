import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../system/client.js';
import { partNames, processesOf, type PartName } from '../../system/processes.js';
import { seedFileOf, startRoster, type RunningRoster } from '../../system/running-roster.js';
import { apiKeyOf, type DataSet } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { addHook, openHooks } from '../data/open-hooks.js';
import { copyDatabase, openMonolithDatabase } from '../data/open-monolith-database.js';
import { inspectable } from '../inspector.js';
import { Receiver } from '../receiver.js';
import type { Contender } from './contender.js';
import { RunningMonolith } from './monolith.js';

/** The limits are applied, but not reached: all requests of a job have the same key. */
export const unlimitedRates = {
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_WORKSPACE_PER_SECOND: '1000000',
};

/** Kinds of monoliths: events go to the stream and to Roster's dispatcher, or it calls webhooks itself. */
export type MonolithKind = 'stream' | 'streamless';

interface Databases {
  roster: string;
  monolith: string;
  /** The database of the monoliths without a stream, if they take part. */
  streamless?: string;
}

export interface ContendersOptions {
  dataSet: DataSet;
  kinds: readonly MonolithKind[];
  /** Whether CPU profiles are recorded: of Roster's processes at any time, of a monolith at its exit. */
  profiled: boolean;
  print: (line: string) => void;
}

/**
 * Roster as `npm start` runs it, and monoliths with separate databases in the same PostgreSQL server. Those of the kind `stream`
 * publish their events to Roster's stream, which the same dispatcher consumes.
 */
export class Contenders {
  readonly system: RunningRoster;
  readonly all: readonly Contender[];
  readonly monoliths: readonly Contender[];
  readonly roster: Contender;
  readonly receiver: Receiver;
  readonly databaseUrls: Databases;
  readonly #running: readonly RunningMonolith[];
  readonly #home: string;

  private constructor(
    system: RunningRoster,
    running: readonly RunningMonolith[],
    databaseUrls: Databases,
    home: string,
  ) {
    this.system = system;
    this.#running = running;
    this.databaseUrls = databaseUrls;
    this.#home = home;
    this.receiver = new Receiver();
    const parts = (names: readonly PartName[]) =>
      Object.fromEntries(names.map((part) => [part, processesOf(system.home, part)]));
    this.monoliths = running.map(({ port, pids, workers, isStreamless }) => ({
      name: `${isStreamless ? 'streamless' : 'monolith'}${workers === 1 ? '' : ` × ${workers}`}`,
      port,
      databaseUrl: isStreamless ? databaseUrls.streamless! : databaseUrls.monolith,
      processes: () => ({
        monolith: pids,
        ...parts(isStreamless ? ['postgres'] : ['dispatcher', 'nats', 'postgres']),
      }),
    }));
    this.roster = {
      name: 'roster',
      port: Number(new URL(system.baseUrl).port),
      databaseUrl: databaseUrls.roster,
      processes: () => parts(partNames),
    };
    this.all = [...this.monoliths, this.roster];
  }

  static async start(options: ContendersOptions): Promise<Contenders> {
    const { dataSet, kinds, profiled } = options;
    const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
    const system = await startRoster({
      home: join(home, 'roster'),
      env: { ...unlimitedRates, ...(profiled && inspectable) },
    });
    const databaseUrls = await openDatabases(system.databaseUrl, options);
    const stream = { url: system.natsUrl, seedFile: seedFileOf(system, 'contacts') };
    const monoliths = await Promise.all(
      kinds.flatMap((kind) =>
        [1, 2].map((workers) =>
          RunningMonolith.start({
            ...{ workers, home, profiled },
            ...(kind === 'stream'
              ? { databaseUrl: databaseUrls.monolith, stream }
              : { databaseUrl: databaseUrls.streamless! }),
          }),
        ),
      ),
    );
    const contenders = new Contenders(system, monoliths, databaseUrls, home);
    await contenders.#subscribe(dataSet.mixed.first);
    return contenders;
  }

  async #subscribe(workspace: number): Promise<void> {
    const [url] = await this.receiver.listen(['accept']);
    const client = new Client({ baseUrl: this.system.baseUrl, apiKey: apiKeyOf(workspace) });
    const { status } = await client.post('/v1/webhooks', { url, events: ['CONTACT_CREATED'] });
    if (status !== 201) throw new Error(`creating a webhook was answered ${status}`);
    const { streamless } = this.databaseUrls;
    if (streamless !== undefined) await addHook(streamless, workspace, url!);
  }

  emptyLogs(): void {
    for (const monolith of this.#running) monolith.emptyLog();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((monolith) => monolith.stop()));
    await this.receiver.stop();
    await this.system.stop();
    await rm(this.#home, { recursive: true, force: true });
  }
}

async function openDatabases(
  roster: string,
  { dataSet, kinds, print }: ContendersOptions,
): Promise<Databases> {
  const monolith = await openMonolithDatabase(roster);
  const startedAt = performance.now();
  await Promise.all([roster, monolith].map((url) => loadDataSet(url, dataSet)));
  const streamless = kinds.includes('streamless')
    ? await copyDatabase(monolith, 'streamless')
    : undefined;
  if (streamless !== undefined) await openHooks(streamless);
  print(`Loaded the databases in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  return { roster, monolith, ...(streamless !== undefined && { streamless }) };
}
