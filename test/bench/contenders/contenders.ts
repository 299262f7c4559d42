import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../system/client.js';
import { partNames, processesOf, type PartName } from '../../system/processes.js';
import { seedFileOf, startRoster, type RunningRoster } from '../../system/running-roster.js';
import { apiKeyOf, type DataSet } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { openMonolithDatabase } from '../data/open-monolith-database.js';
import { profilable } from '../profile.js';
import { Receiver } from '../receiver.js';
import type { Contender } from './contender.js';
import { RunningMonolith } from './monolith.js';

/** The limits are applied, but not reached: all requests of a job have the same key. */
const unlimitedRates = {
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_WORKSPACE_PER_SECOND: '1000000',
};

/**
 * Roster as `npm start` runs it, and monoliths with a separate database in the same PostgreSQL server. Their events
 * are published to the same stream and consumed by the same dispatcher.
 */
export class Contenders {
  readonly system: RunningRoster;
  readonly all: readonly Contender[];
  readonly monoliths: readonly Contender[];
  readonly roster: Contender;
  readonly receiver: Receiver;
  readonly databaseUrls: Record<'roster' | 'monolith', string>;
  readonly #running: readonly RunningMonolith[];
  readonly #home: string;

  private constructor(
    system: RunningRoster,
    running: readonly RunningMonolith[],
    databaseUrls: Contenders['databaseUrls'],
    home: string,
  ) {
    this.system = system;
    this.#running = running;
    this.databaseUrls = databaseUrls;
    this.#home = home;
    this.receiver = new Receiver();
    const parts = (names: readonly PartName[]) =>
      Object.fromEntries(names.map((part) => [part, processesOf(system.home, part)]));
    this.monoliths = running.map(({ port, pids }, n) => ({
      name: n === 0 ? 'monolith' : `monolith × ${n + 1}`,
      port,
      databaseUrl: databaseUrls.monolith,
      processes: () => ({ monolith: pids, ...parts(['dispatcher', 'nats', 'postgres']) }),
    }));
    this.roster = {
      name: 'roster',
      port: Number(new URL(system.baseUrl).port),
      databaseUrl: databaseUrls.roster,
      processes: () => parts(partNames),
    };
    this.all = [...this.monoliths, this.roster];
  }

  /** @param profiled whether CPU profiles are recorded: of Roster's processes at any time, of a monolith at its exit */
  static async start(
    dataSet: DataSet,
    profiled: boolean,
    print: (line: string) => void,
  ): Promise<Contenders> {
    const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
    const system = await startRoster({
      home: join(home, 'roster'),
      env: { ...unlimitedRates, ...(profiled && profilable) },
    });
    const monolithUrl = await openMonolithDatabase(system.databaseUrl);
    const startedAt = performance.now();
    const databaseUrls = { roster: system.databaseUrl, monolith: monolithUrl };
    await Promise.all(Object.values(databaseUrls).map((url) => loadDataSet(url, dataSet)));
    print(`Loaded both databases in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    const monoliths = await Promise.all(
      [1, 2].map((workers) =>
        RunningMonolith.start({
          workers,
          databaseUrl: monolithUrl,
          natsUrl: system.natsUrl,
          natsSeedFile: seedFileOf(system, 'contacts'),
          home,
          profiled,
        }),
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
