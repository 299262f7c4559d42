import { Client, type buildConnector } from 'undici';
import { connectChecked, type ConnectionFacts, type ConnectOptions } from './connect.js';

/** A connection to one origin, used by one attempt at a time. */
export interface Connection {
  client: Client;
  /** How the present socket came about; undefined until there is one. */
  facts: ConnectionFacts | undefined;
  /** It has carried an attempt before. */
  reused: boolean;
}

export interface ConnectionsOptions extends ConnectOptions {
  /** Idle connections kept per origin. */
  idlePerOriginMax?: number;
  /** Idle connections kept in all. */
  idleMax?: number;
  idleMs?: number;
}

/** Keeps connections alive between attempts, and knows of each which address it goes to. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;
  readonly #givenUp = new AbortController();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** An idle connection to the URL's origin, else a new one, which connects when it is used. */
  take(url: URL, signal: AbortSignal, fresh = false): Connection {
    const idle = fresh ? undefined : this.#idle.get(url.origin);
    for (let connection = idle?.pop(); connection; connection = idle?.pop()) {
      this.#idleCount -= 1;
      if (!connection.client.destroyed && !connection.client.closed) {
        connection.reused = true;
        return connection;
      }
    }
    return this.#open(url, signal);
  }

  /** Keeps the connection for the next attempt, if there is room. */
  giveBack(url: URL, connection: Connection): void {
    const { idlePerOriginMax = 64, idleMax = 1024 } = this.#options;
    let idle = this.#idle.get(url.origin);
    if (!idle) this.#idle.set(url.origin, (idle = []));
    if (idle.length >= idlePerOriginMax || this.#idleCount >= idleMax) return this.drop(connection);
    this.#idleCount += 1;
    idle.push(connection);
  }

  drop({ client }: Connection): void {
    void client.destroy().catch(() => undefined);
  }

  /** Aborted when this process cannot wait any longer for what is under way. */
  get givenUp(): AbortSignal {
    return this.#givenUp.signal;
  }

  /** Ends the attempts under way; what became of them is not known. */
  giveUp(): void {
    this.#givenUp.abort();
  }

  close(): void {
    for (const idle of this.#idle.values()) for (const connection of idle) this.drop(connection);
    this.#idle.clear();
    this.#idleCount = 0;
  }

  #open(url: URL, signal: AbortSignal): Connection {
    const { idleMs = 30_000 } = this.#options;
    const connection: Connection = { facts: undefined, reused: false, client: undefined as never };
    let connected = false;
    connection.client = new Client(url.origin, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // The attempt's own deadline covers these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
      connect: (_, callback) => {
        // A connection that broke is not opened again behind the attempt's back: the address would go unchecked.
        if (connected) return callback(new Error('the connection was closed'), null);
        connected = true;
        void this.#connect(url, connection, signal, callback);
      },
    });
    connection.client.on('disconnect', () => {
      this.#forget(url.origin, connection);
      this.drop(connection);
    });
    return connection;
  }

  async #connect(
    url: URL,
    connection: Connection,
    signal: AbortSignal,
    callback: buildConnector.Callback,
  ): Promise<void> {
    try {
      const { socket, facts } = await connectChecked(url, this.#options, signal);
      connection.facts = facts;
      callback(null, socket);
    } catch (error) {
      callback(error as Error, null);
    }
  }

  #forget(origin: string, connection: Connection): void {
    const idle = this.#idle.get(origin);
    const at = idle?.indexOf(connection) ?? -1;
    if (at === -1) return;
    idle!.splice(at, 1);
    this.#idleCount -= 1;
    if (idle!.length === 0) this.#idle.delete(origin);
  }
}
