import { randomUUID } from 'node:crypto';
import { connectBus } from '@roster/bus';
import { systemCaller } from '@roster/contracts';
import pg from 'pg';
import { Client } from '../system/client.js';
import { seedFileOf, startRoster, type RunningRoster } from '../system/running-roster.js';
import { Receiver, type Behaviour } from './receiver.js';

export interface Workspace {
  workspaceId: string;
  apiKey: string;
}

/** The whole system, a receiver in a separate process, and a database connection for checks. */
export class BenchSystem {
  readonly roster: RunningRoster;
  readonly receiver: Receiver;
  readonly database: pg.Client;

  private constructor(roster: RunningRoster, receiver: Receiver, database: pg.Client) {
    this.roster = roster;
    this.receiver = receiver;
    this.database = database;
  }

  static async start(env: Record<string, string>): Promise<BenchSystem> {
    const roster = await startRoster({ env: { LOG_LEVEL: 'warn', ...env } });
    const database = new pg.Client({ connectionString: roster.databaseUrl });
    await database.connect();
    return new BenchSystem(roster, new Receiver(), database);
  }

  async stop(): Promise<void> {
    await this.database.end();
    await this.roster.discard();
    await this.receiver.stop();
  }

  async newWorkspaces(count: number): Promise<Workspace[]> {
    const ignore = () => undefined;
    const bus = await connectBus({
      servers: this.roster.natsUrl,
      credentials: { nkeySeedFile: seedFileOf(this.roster, 'operator') },
      name: 'operator',
      log: { debug: ignore, warn: ignore, error: ignore },
    });
    const made = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        bus.call(
          'workspaces.create',
          { name: `Bench ${n}`, ownerEmail: 'owner@example.com', ownerName: 'Owner' },
          { caller: systemCaller, requestId: randomUUID(), deadline: Date.now() + 30_000 },
        ),
      ),
    );
    await bus.close();
    return made;
  }

  /** One webhook with a separate address for each behaviour, in the workspaces in turn. */
  async subscribe(
    workspaces: readonly Workspace[],
    behaviours: readonly Behaviour[],
  ): Promise<void> {
    const urls = await this.receiver.listen(behaviours);
    for (const [n, url] of urls.entries()) {
      const { apiKey } = workspaces[n % workspaces.length]!;
      const client = new Client({ baseUrl: this.roster.baseUrl, apiKey });
      const { status } = await client.post('/v1/webhooks', { url, events: ['CONTACT_CREATED'] });
      if (status !== 201) throw new Error(`creating a webhook was answered ${status}`);
    }
  }

  /** Creates webhooks with filters of all kinds, which contacts with a property `city` other than `x…` and an `age` below 100 do not match. */
  async subscribeFiltered(workspaces: readonly Workspace[], count: number): Promise<void> {
    const [url] = await this.receiver.listen(['accept']);
    for (const { apiKey } of workspaces) {
      const client = new Client({ baseUrl: this.roster.baseUrl, apiKey });
      for (let n = 0; n < count; n += 1) {
        const filters = [
          { tag: [`x${n}`] },
          { tag: [`any:x${n},y${n}`] },
          { property: { city: `x${n}` } },
          { property: { age: `gt:${100 + n}` } },
          { changed: [`properties.x${n}`] },
          { status: 'unsubscribed', tag: ['exists'] },
        ];
        const body = { url, events: ['CONTACT_CREATED'], filter: filters[n % filters.length] };
        const { status } = await client.post('/v1/webhooks', body);
        if (status !== 201) throw new Error(`creating a webhook was answered ${status}`);
      }
    }
  }

  async number(sql: string, values: unknown[] = []): Promise<number> {
    const { rows } = await this.database.query<{ n: string }>(sql, values);
    return Number(rows[0]!.n);
  }
}
