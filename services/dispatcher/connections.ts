import { Client, type buildConnector } from 'undici';
import { connectChecked, type ConnectionFacts, type ConnectOptions } from './connect.js';

/** A connection to one origin, used by one attempt at a time. */
export interface Connection {
  origin: string;
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
  /** All that are idle, the longest idle first. */
  readonly #order = new Set<Connection>();
  readonly #givenUp = new AbortController();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** An idle connection to the URL's origin, else a new one, which connects when it is used. */
  take(url: URL, signal: AbortSignal, fresh = false): Connection {
    const idle = fresh ? undefined : this.#idle.get(url.origin);
    for (let connection = idle?.pop(); connection; connection = idle?.pop()) {
      this.#order.delete(connection);
      if (idle!.length === 0) this.#idle.delete(url.origin);
      if (!connection.client.destroyed && !connection.client.closed) {
        connection.reused = true;
        return connection;
      }
    }
    return this.#open(url, signal);
  }

  /** Keeps the connection for the next attempt. Where there is no room, the one that was idle longest makes it. */
  giveBack(connection: Connection): void {
    const { idlePerOriginMax = 32, idleMax = 512 } = this.#options;
    let idle = this.#idle.get(connection.origin);
    if (!idle) this.#idle.set(connection.origin, (idle = []));
    idle.push(connection);
    this.#order.add(connection);
    const [longest] = idle.length > idlePerOriginMax ? idle : this.#order;
    if (idle.length > idlePerOriginMax || this.#order.size > idleMax) {
      this.#forget(longest!);
      this.drop(longest!);
    }
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
    this.#order.clear();
  }

  #open(url: URL, signal: AbortSignal): Connection {
    const { idleMs = 30_000 } = this.#options;
    const connection: Connection = {
      origin: url.origin,
      facts: undefined,
      reused: false,
      client: undefined as never,
    };
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
      this.#forget(connection);
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

  #forget(connection: Connection): void {
    if (!this.#order.delete(connection)) return;
    const idle = this.#idle.get(connection.origin)!;
    idle.splice(idle.indexOf(connection), 1);
    if (idle.length === 0) this.#idle.delete(connection.origin);
  }
}
