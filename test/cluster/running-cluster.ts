import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus, type ServerUser } from '@roster/bus';
import { systemCaller } from '@roster/contracts';
import { freePort } from '@roster/embedded';
import { ClosedSystem } from '@roster/local/closed-system';
import { eventually } from '@roster/testing';
import type { LoadedSystem } from '../faults/reconcile.js';
import { patience } from '../system/running-roster.js';
import { Balancer } from './balancer.js';
import { NatsCluster } from './nats-cluster.js';
import { startPostgresPair, type PostgresPair } from './postgres-pair.js';
import { processNames, thisRelease, type ProcessName, type Release } from './release.js';
import { Replica } from './replica.js';

/** Replicas of every process. */
const replicas = 2;
/** Longer than the balancer takes, even on a busy machine, to detect that a gateway is no longer ready. */
const drainDelayMs = 5000;
const bootTimeoutMs = 60_000;

/** Three NATS servers, a PostgreSQL with a standby, two of every process, and a balancer before the gateways. */
export class RunningCluster implements LoadedSystem {
  readonly nats: NatsCluster;
  readonly postgres: PostgresPair;
  readonly replicas: Replica[];
  apiKey = '';
  workspaceId = '';
  readonly #home: string;
  readonly #balancer: Balancer;
  readonly #log: WriteStream;
  readonly #closed: ClosedSystem;
  readonly #env: NodeJS.ProcessEnv;
  readonly #gatewayPorts: ReadonlyMap<Replica, number>;
  /** Variables that were changed, by process. */
  readonly #changed = new Map<ProcessName, NodeJS.ProcessEnv>();
  /** The file with the authorities of PostgreSQL's certificates, which processes read when they are launched. */
  readonly postgresAuthorities: string;
  #promoted = false;

  private constructor(parts: Parts) {
    this.#home = parts.home;
    this.#log = parts.log;
    this.nats = parts.nats;
    this.postgres = parts.postgres;
    this.replicas = parts.replicas;
    this.#balancer = parts.balancer;
    this.#closed = parts.closed;
    this.#gatewayPorts = parts.gatewayPorts;
    this.postgresAuthorities = join(parts.home, 'postgres-ca.crt');
    this.#env = {
      ...withoutOwn(process.env),
      LOG_LEVEL: 'debug',
      EVENTS_REPLICAS: '3',
      ALLOW_HTTP: 'true',
      ALLOW_TARGETS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      ADMIN_HOST: '127.0.0.1',
      DRAIN_DELAY_MS: String(drainDelayMs),
      ...patience,
      ...parts.env,
    };
  }

  static async start(env: Record<string, string>): Promise<RunningCluster> {
    const home = await mkdtemp(join(tmpdir(), 'roster-cluster-'));
    const log = createWriteStream(join(home, 'servers.log'));
    const write = (line: string) => void log.write(`${line}\n`);
    const closed = new ClosedSystem(home);
    const [nats, postgres] = await Promise.all([
      NatsCluster.start(home, closed.natsUsers, write),
      startPostgresPair({ dataDir: join(home, 'postgres'), log: write }),
    ]);
    await mkdir(join(home, 'logs'));
    const all: Replica[] = [];
    const gatewayPorts = new Map<Replica, number>();
    for (const name of processNames) {
      for (let number = 1; number <= replicas; number += 1) {
        const id = `${name}-${number}`;
        const logFile = join(home, 'logs', `${id}.log`);
        const replica = new Replica({ name, id, adminPort: await freePort(), logFile });
        if (name === 'gateway') gatewayPorts.set(replica, await freePort());
        all.push(replica);
      }
    }
    const balancer = await Balancer.open(
      [...gatewayPorts].map(([{ adminPort }, port]) => ({ port, adminPort })),
    );
    const parts = { home, log, nats, postgres, closed, replicas: all, gatewayPorts, balancer, env };
    const cluster = new RunningCluster(parts);
    try {
      await copyFile(postgres.ca, cluster.postgresAuthorities);
      await closed.prepareDatabase(postgres.primary.url);
      // On a small machine, starting all at once takes longer than the connection timeout of some processes.
      for (const name of processNames) {
        const twins = all.filter((replica) => replica.name === name);
        await Promise.all(twins.map((replica) => cluster.launch(replica)));
      }
      await cluster.#openWorkspace();
      await Promise.all([cluster.nats.inSync(), balancer.allReady()]);
      return cluster;
    } catch (error) {
      await cluster.discard();
      throw error;
    }
  }

  get baseUrl(): string {
    return this.#balancer.url;
  }

  /** The URL of the current primary, of a superuser. */
  get databaseUrl(): string {
    return this.#promoted ? this.postgres.standby.url : this.postgres.primary.url;
  }

  /** Starts a stopped process. Resolves when it is ready. */
  async launch(replica: Replica, release: Release = thisRelease): Promise<void> {
    const own = this.environmentOf(replica.name);
    const { DATABASE_URL: url } = own;
    const env = {
      ...this.#env,
      ...own,
      ...(url !== undefined && { DATABASE_URL: this.#bothServers(url) }),
      PORT: String(this.#gatewayPorts.get(replica) ?? 0),
    };
    await replica.start({ release, env });
  }

  /** What authenticates a process, with one server of PostgreSQL. */
  environmentOf(name: ProcessName): NodeJS.ProcessEnv {
    return {
      ...this.#closed.environmentOf(name, this.nats.url),
      NATS_CA_FILE: this.nats.certificates.ca,
      ...this.#changed.get(name),
    };
  }

  /** Changes variables of a process, which its replicas read when they are launched. */
  change(name: ProcessName, variables: NodeJS.ProcessEnv): void {
    this.#changed.set(name, { ...this.#changed.get(name), ...variables });
  }

  /** The users of NATS with the keys of this system. */
  get natsUsers(): readonly ServerUser[] {
    return this.#closed.natsUsers;
  }

  /** A folder for secrets of a test. */
  newFolder(): Promise<string> {
    return mkdtemp(join(this.#home, 'secrets-'));
  }

  async losePrimary(): Promise<void> {
    const { primary } = this.postgres;
    primary.kill('SIGKILL');
    await primary.exited;
  }

  async promoteStandby(): Promise<void> {
    await this.postgres.promote();
    this.#promoted = true;
  }

  /** The last lines of every process. */
  lastLines(): string {
    return this.replicas.map((replica) => `${replica.id}:\n${replica.lastLines()}`).join('\n');
  }

  /** Stops everything, and removes its files. */
  async discard(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    await this.#balancer.close();
    const { primary, standby } = this.postgres;
    await Promise.all([this.nats.stop(), primary.stop(), standby.stop()]);
    this.#log.end();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  /** The URL of a role, for both servers. */
  #bothServers(url: string): string {
    const both = url.replace(/(@[^/]*)/, `$1,127.0.0.1:${this.postgres.standby.port}`);
    // A busy machine is slow to start.
    const parameters = new URLSearchParams({
      target_session_attrs: 'read-write',
      connect_timeout: '20',
      sslmode: 'verify-full',
      sslrootcert: this.postgresAuthorities,
    });
    return `${both}?${parameters.toString()}`;
  }

  async #openWorkspace(): Promise<void> {
    const bus = await connectBus({
      servers: this.nats.url,
      ...this.#closed.operator,
      tls: { caFile: this.nats.certificates.ca },
      log: silence,
    });
    try {
      const made = await eventually(
        () =>
          bus.call(
            'workspaces.create',
            { name: 'Cluster', ownerEmail: 'owner@example.com', ownerName: 'Owner' },
            { caller: systemCaller, requestId: randomUUID(), deadline: Date.now() + 10_000 },
          ),
        { timeoutMs: bootTimeoutMs, describe: 'a workspace' },
      );
      this.apiKey = made.apiKey;
      this.workspaceId = made.workspaceId;
    } finally {
      await bus.close();
    }
  }
}

interface Parts {
  home: string;
  log: WriteStream;
  nats: NatsCluster;
  postgres: PostgresPair;
  closed: ClosedSystem;
  replicas: Replica[];
  gatewayPorts: ReadonlyMap<Replica, number>;
  balancer: Balancer;
  env: Record<string, string>;
}

const ignore = () => undefined;
const silence = { debug: ignore, warn: ignore, error: ignore };

/** Variables set for `npm start` in the terminal must not apply to these processes. */
function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, NATS_URL: __, ROSTER_TEST_DATABASE_URL: ___, ...others } = env;
  return others;
}
