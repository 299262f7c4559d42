import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Client } from '../../system/client.js';
import { processesOf, type PartName } from '../../system/processes.js';
import { startRoster, type RunningRoster } from '../../system/running-roster.js';
import { apiKeyOf, type DataSet } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { openMonolithDatabase } from '../data/open-monolith-database.js';
import { Receiver } from '../receiver.js';
import type { Contender } from './contender.js';
import { RunningMonolith } from './monolith.js';

/**
 * Roster as `npm start` runs it, and monoliths on a database of their own in the same PostgreSQL server. They publish their
 * events to the same stream, so the same dispatcher is behind them all.
 */
export class Contenders {
  readonly roster: RunningRoster;
  readonly all: readonly Contender[];
  readonly receiver: Receiver;
  readonly databaseUrls: Record<'roster' | 'monolith', string>;
  readonly #monoliths: readonly RunningMonolith[];
  readonly #home: string;

  private constructor(
    roster: RunningRoster,
    monoliths: readonly RunningMonolith[],
    databaseUrls: Contenders['databaseUrls'],
    home: string,
  ) {
    this.roster = roster;
    this.#monoliths = monoliths;
    this.databaseUrls = databaseUrls;
    this.#home = home;
    this.receiver = new Receiver();
    const behind = (parts: readonly PartName[]) =>
      Object.fromEntries(parts.map((part) => [part, processesOf(roster.home, part)]));
    this.all = [
      ...monoliths.map(({ port, pids }, n) => ({
        name: n === 0 ? 'monolith' : `monolith × ${n + 1}`,
        port,
        databaseUrl: databaseUrls.monolith,
        processes: () => ({
          monolith: pids,
          ...behind(['dispatcher', 'nats', 'postgres']),
        }),
      })),
      {
        name: 'roster',
        port: Number(new URL(roster.baseUrl).port),
        databaseUrl: databaseUrls.roster,
        processes: () =>
          behind(['gateway', 'contacts', 'users', 'webhooks', 'dispatcher', 'nats', 'postgres']),
      },
    ];
  }

  static async start(
    dataSet: DataSet,
    env: Record<string, string>,
    say: (line: string) => void,
  ): Promise<Contenders> {
    const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
    const roster = await startRoster({ home: join(home, 'roster'), env });
    const monolithUrl = await openMonolithDatabase(roster.databaseUrl);
    const startedAt = performance.now();
    const databaseUrls = { roster: roster.databaseUrl, monolith: monolithUrl };
    await Promise.all(Object.values(databaseUrls).map((url) => loadDataSet(url, dataSet)));
    say(`Loaded both databases in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    const monoliths = await Promise.all(
      [1, 2].map((workers) =>
        RunningMonolith.start({
          workers,
          databaseUrl: monolithUrl,
          natsUrl: roster.natsUrl,
          home,
        }),
      ),
    );
    const contenders = new Contenders(roster, monoliths, databaseUrls, home);
    await contenders.#subscribe(dataSet.mixed.first);
    return contenders;
  }

  async #subscribe(workspace: number): Promise<void> {
    const [url] = await this.receiver.listen(['accept']);
    const client = new Client({ baseUrl: this.roster.baseUrl, apiKey: apiKeyOf(workspace) });
    const { status } = await client.post('/v1/webhooks', { url, events: ['CONTACT_CREATED'] });
    if (status !== 201) throw new Error(`making a webhook was answered ${status}`);
  }

  async onEveryDatabase(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    for (const connectionString of Object.values(this.databaseUrls)) {
      const client = new pg.Client({ connectionString });
      await client.connect();
      try {
        await work(client);
      } finally {
        await client.end();
      }
    }
  }

  emptyLogs(): void {
    for (const monolith of this.#monoliths) monolith.emptyLog();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#monoliths.map((monolith) => monolith.stop()));
    await this.receiver.stop();
    await this.roster.stop();
    await rm(this.#home, { recursive: true, force: true });
  }
}
