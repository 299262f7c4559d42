import pg from 'pg';
import type { DatabaseAddress } from './address.js';
import {
  clientConfig,
  connectionOf,
  isIdle,
  lent,
  type Connect,
  type Connected,
  type ServerClient,
} from './server-client.js';
import { SilenceWatch, type Watched } from './silence.js';

/** Why a connection attempt failed. No statement was sent. */
export interface ServerFailure {
  /** `host:port` */
  server: string;
  error: Error & { code?: string };
}

/** The server is read-only: a standby, or a demoted primary. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
}

/** read_only_sql_transaction */
const readOnly = '25006';

/**
 * The servers of one database. One of them is used: the first that is reachable and, if required, accepts writes. If it is
 * lost or becomes read-only, new connections go to the next one.
 */
export class Servers {
  readonly #address: DatabaseAddress;
  #current = 0;
  /** Incremented when the server in use became read-only: earlier connections are not used again. */
  #generation = 0;
  readonly #failures = new WeakMap<Error, ServerFailure>();
  readonly #silence: SilenceWatch;
  /** Options of the connections. */
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

  /** Options for `pg.Pool`, so that it creates connections with this class. */
  get poolOptions(): pg.PoolConfig {
    return {
      Client: this.#clientClass() as unknown as new () => pg.ClientBase,
      // The pool waits for the promise, although its types lack it.
      ...(this.#address.writable
        ? { onConnect: (client): unknown => this.#mustWrite(client as ServerClient) }
        : {}),
    };
  }

  /** Must be called with the pool before its first use. */
  watch(pool: pg.Pool): void {
    this.#pool = pool;
    pool.on('release', (_, client) => {
      // The pool does not accept a connection that is closing.
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

  /** Whether the server in use, which turned out to be read-only, is acceptable. If not, it is not used again. */
  acceptReadOnly(): boolean {
    if (!this.#address.writable) return true;
    this.#demoted({ at: this.#current, generation: this.#generation });
    return false;
  }

  /** Why no connection could be made, for each server that was tried. Undefined for any other error. */
  failuresOf(error: unknown): readonly ServerFailure[] | undefined {
    if (error instanceof NoServer) return error.failures;
    if (!(error instanceof Error)) return undefined;
    // If an error arrives too late, the pool has thrown one of its own.
    const failure = this.#failures.get(error) ?? this.#failures.get(error.cause as Error);
    return failure && [failure];
  }

  /** Tries every server before it fails. */
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
        const { at, generation, ...server } = chosen();
        super(configured(clientConfig(config, server)));
        this.at = at;
        this.generation = generation;
        connectionOf(this).on('errorMessage', ({ code }: { code: string }) => {
          if (code === readOnly) demoted(this);
        });
        this.once('connect', () => {
          // Not earlier: TLS replaces the stream.
          const { stream } = connectionOf(this);
          const watched: Watched = { at, stream, isBusy: () => !isIdle(this) };
          silence.add(watched);
          this.once('end', () => silence.remove(watched));
        });
        this.on('end', () => this.giveBack?.(true));
      }

      /** Signature required by the pool, which alone creates instances. */
      override connect(): Promise<this>;
      override connect(callback: (error: Error) => void): void;
      override connect(callback?: (error: Error) => void): Promise<this> | void {
        const startedAt = performance.now();
        super.connect((error: Error) => {
          if (error) {
            failed(this, error, performance.now() - startedAt);
            // After a failed authentication the driver would leave the connection open until the server closes it.
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
    const client = new pg.Client(clientConfig(this.#clientConfig, this.#address.hosts[at]!));
    // The connection is no longer needed, so errors when closing it are ignored.
    client.on('error', () => {});
    try {
      await client.connect();
    } finally {
      connectionOf(client).stream.destroy();
    }
  }

  /** @param thrown the error that callers receive, if it is another one */
  #failed({ at }: ServerClient, error: Error, thrown = error): void {
    const { host, port } = this.#address.hosts[at]!;
    this.#failures.set(thrown, { server: `${host || 'localhost'}:${port}`, error });
    this.#skip(at);
  }

  /** Stops using connections to this server: those in use once they are released, and idle ones. */
  #demoted({ at, generation }: Pick<ServerClient, 'at' | 'generation'>): void {
    if (generation < this.#generation) return;
    this.#generation += 1;
    this.#skip(at);
    const pool = this.#pool!;
    for (let idle = pool.idleCount; idle > 0; idle -= 1)
      pool.connect((_, client) => client?.release(true));
  }

  #skip(at: number): void {
    // Another caller may have selected the next server already.
    if (at === this.#current) this.#current = (at + 1) % this.#address.hosts.length;
  }
}

/** Tolerance, because timers may fire slightly early. */
const timerSlack = 0.99;

/** The pool closes a connection attempt that takes too long, and the error says only that it was terminated. */
const noAnswer = (cause: Error): Error =>
  /Connection terminated/.test(cause.message) ? new Error('timed out', { cause }) : cause;

/** None of several servers is usable. */
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
