import pg from 'pg';
import type { DatabaseAddress } from './address.js';
import {
  connectionOf,
  isIdle,
  lent,
  type Connect,
  type Connected,
  type ServerClient,
} from './server-client.js';
import { SilenceWatch, type Watched } from './silence.js';

/** Why a server could not be connected to. Nothing was sent to it. */
export interface ServerFailure {
  /** `host:port` */
  server: string;
  error: Error & { code?: string };
}

/** The server takes no writes: a standby, or a primary that was made one. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
}

/** read_only_sql_transaction */
const readOnly = '25006';

/**
 * The servers of one database, of which one is used: the first that can be connected to and, where asked, takes writes.
 * When it is lost, or takes no writes any more, new connections go to the next one.
 */
export class Servers {
  readonly #address: DatabaseAddress;
  #current = 0;
  /** Grows when the server in use turned out to be read-only: connections of before are not used again. */
  #generation = 0;
  readonly #failures = new WeakMap<Error, ServerFailure>();
  readonly #silence: SilenceWatch;
  /** What the pool makes its connections with. */
  #clientConfig: pg.ClientConfig = {};
  #pool: pg.Pool | undefined;

  /** @param silentMs see `SilenceWatch` */
  constructor(address: DatabaseAddress, silentMs: number) {
    this.#address = address;
    this.#silence = new SilenceWatch({
      silentMs,
      probe: (at) => this.#probe(at),
      onSilent: (at) => this.#skip(at),
    });
  }

  close(): void {
    this.#silence.stop();
  }

  /** What `pg.Pool` is given so that its connections are made here. */
  get poolOptions(): pg.PoolConfig {
    return {
      Client: this.#clientClass() as unknown as new () => pg.ClientBase,
      // The pool waits for it, whatever its types say.
      ...(this.#address.writable
        ? { onConnect: (client): unknown => this.#mustWrite(client as ServerClient) }
        : {}),
    };
  }

  /** To be called with the pool before it is used. */
  watch(pool: pg.Pool): void {
    this.#pool = pool;
    pool.on('release', (_, client) => {
      // The pool takes nothing back that is ending.
      if ((client as pg.PoolClient & ServerClient).generation < this.#generation) void client.end();
    });
    const one = pool.connect.bind(pool) as Connect;
    const connect = this.#address.hosts.length > 1 ? this.#toAny(one) : one;
    pool.connect = ((callback?: Connected) => {
      if (callback) return connect(callback);
      return new Promise((resolve, reject) => {
        connect((error, client) => {
          if (client) resolve(lent(client));
          else reject(error!);
        });
      });
    }) as typeof pool.connect;
  }

  /** Whether the server in use, which was found to take no writes, will do. Where it does not, it is not used again. */
  acceptReadOnly(): boolean {
    if (!this.#address.writable) return true;
    this.#demoted({ at: this.#current, generation: this.#generation });
    return false;
  }

  /** Why no connection was made, of each server that was tried. Undefined for any other error. */
  failuresOf(error: unknown): readonly ServerFailure[] | undefined {
    if (error instanceof NoServer) return error.failures;
    if (!(error instanceof Error)) return undefined;
    // The pool puts an error of its own in the place of one that came too late.
    const failure = this.#failures.get(error) ?? this.#failures.get(error.cause as Error);
    return failure && [failure];
  }

  /** Tries every server before it refuses a connection. */
  #toAny(connect: Connect): Connect {
    const count = this.#address.hosts.length;
    const attempt = (failures: readonly ServerFailure[], callback: Connected): void =>
      connect((error, client, release) => {
        const failed = error && this.failuresOf(error);
        if (!failed) return callback(error, client, release);
        const all = [...failures, ...failed];
        if (all.length < count) attempt(all, callback);
        else callback(new NoServer(all), client, release);
      });
    return (callback) => attempt([], callback);
  }

  #clientClass() {
    const chosen = () => ({
      ...this.#address.hosts[this.#current]!,
      at: this.#current,
      generation: this.#generation,
    });
    const configured = (config: pg.ClientConfig) => (this.#clientConfig = config);
    const silence = this.#silence;
    const failed = (client: ServerClient, error: Error, afterMs: number) =>
      this.#failed(
        client,
        afterMs < this.#address.connectMs * timerSlack ? error : noAnswer(error),
        error,
      );
    const demoted = (client: ServerClient) => this.#demoted(client);
    return class extends pg.Client implements ServerClient {
      readonly at: number;
      readonly generation: number;
      giveBack: ServerClient['giveBack'];

      constructor(config: pg.ClientConfig) {
        const { at, generation, host, port } = chosen();
        // The pool hides the password from those who copy its options.
        super(configured({ ...config, password: config.password, host, port }));
        this.at = at;
        this.generation = generation;
        connectionOf(this).on('errorMessage', ({ code }: { code: string }) => {
          if (code === readOnly) demoted(this);
        });
        this.once('connect', () => {
          // Only now: TLS puts another stream into the place of the first.
          const { stream } = connectionOf(this);
          const watched: Watched = { at, stream, isBusy: () => !isIdle(this) };
          silence.add(watched);
          this.once('end', () => silence.remove(watched));
        });
        this.on('end', () => this.giveBack?.(true));
      }

      /** As the pool calls it, which alone makes clients of this class. */
      override connect(): Promise<this>;
      override connect(callback: (error: Error) => void): void;
      override connect(callback?: (error: Error) => void): Promise<this> | void {
        const startedAt = performance.now();
        super.connect((error: Error) => {
          if (error) {
            failed(this, error, performance.now() - startedAt);
            // The driver leaves a connection that it cannot authenticate to the server's patience.
            connectionOf(this).stream.destroy();
          }
          callback!(error);
        });
      }
    };
  }

  async #mustWrite(client: ServerClient): Promise<void> {
    try {
      const { rows } = await client.query<{ readonly: string }>(
        `select current_setting('transaction_read_only') as readonly`,
      );
      if (rows[0]?.readonly === 'on') throw new ReadOnlyServer('The server is read-only.');
    } catch (error) {
      this.#failed(client, error as Error);
      throw error;
    }
  }

  async #probe(at: number): Promise<void> {
    const { host, port } = this.#address.hosts[at]!;
    const client = new pg.Client({ ...this.#clientConfig, host, port });
    // Once connected it has done its work: how it ends does not matter.
    client.on('error', () => {});
    try {
      await client.connect();
    } finally {
      connectionOf(client).stream.destroy();
    }
  }

  /** @param thrown what callers get, where that is another error */
  #failed({ at }: ServerClient, error: Error, thrown = error): void {
    const { host, port } = this.#address.hosts[at]!;
    this.#failures.set(thrown, { server: `${host || 'localhost'}:${port}`, error });
    this.#skip(at);
  }

  /** No connection to this server is used again: not those in use, once they are given back, nor those that wait. */
  #demoted({ at, generation }: Pick<ServerClient, 'at' | 'generation'>): void {
    if (generation < this.#generation) return;
    this.#generation += 1;
    this.#skip(at);
    const pool = this.#pool!;
    for (let idle = pool.idleCount; idle > 0; idle -= 1)
      pool.connect((_, client) => client?.release(true));
  }

  #skip(at: number): void {
    // Others may have gone on already.
    if (at === this.#current) this.#current = (at + 1) % this.#address.hosts.length;
  }
}

/** Timers may run out a little early. */
const timerSlack = 0.99;

/** The pool ends what takes too long, and its connection then says no more than that it was ended. */
const noAnswer = (cause: Error): Error =>
  /Connection terminated/.test(cause.message) ? new Error('timed out', { cause }) : cause;

/** None of several servers could be connected to. */
class NoServer extends Error {
  override readonly name = 'NoServer';
  readonly failures: readonly ServerFailure[];

  constructor(failures: readonly ServerFailure[]) {
    super(failures.map(({ server, error }) => `${server}: ${error.message}`).join('; '), {
      cause: failures.at(-1)!.error,
    });
    this.failures = failures;
  }
}
