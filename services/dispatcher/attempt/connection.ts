import type { buildConnector } from 'undici';
import { AnswerReader } from './answer-reader.js';
import { connectChecked, type ConnectionFacts, type ConnectOptions } from './connect.js';
import { Client, readLeniently } from './undici-client.js';

/** A request without its origin. */
export interface Message {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A connection to one origin, for one exchange at a time. Connects on first use. */
export class Connection {
  readonly origin: string;
  /** How it was made; undefined until it is connected. */
  facts: ConnectionFacts | undefined;
  readonly #client: InstanceType<typeof Client>;
  readonly #connecting = new AbortController();
  #reader: AnswerReader | undefined;
  #exchanges = 0;

  constructor(
    url: URL,
    options: ConnectOptions & { idleMs: number },
    onClosed: (connection: Connection) => void,
  ) {
    this.origin = url.origin;
    let connected = false;
    this.#client = new Client(url.origin, {
      pipelining: 1,
      keepAliveTimeout: options.idleMs,
      keepAliveMaxTimeout: options.idleMs,
      // `attempt` sets one deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
      connect: (_, callback) => {
        // The client must not reconnect: the address would not be checked and counted.
        if (connected) return callback(new Error('the connection was closed'), null);
        connected = true;
        void this.#connect(url, options, callback);
      },
    });
    this.#client.on('disconnect', () => {
      onClosed(this);
      this.end();
    });
  }

  /** Whether it was used before the current exchange. */
  get reused(): boolean {
    return this.#exchanges > 1;
  }

  /** The response of the current exchange, as far as it was received. */
  get answer(): AnswerReader | undefined {
    return this.#reader?.firstByteAt ? this.#reader : undefined;
  }

  get open(): boolean {
    return !this.#client.destroyed && !this.#client.closed;
  }

  /**
   * Sends a request. Resolves when `answer` was received, with whether it is complete and the connection can be used again. Rejects
   * with the reason if the connection breaks or is ended.
   */
  exchange({ path, headers, body }: Message): Promise<boolean> {
    this.#exchanges += 1;
    return new Promise((resolve, reject) => {
      this.#reader = new AnswerReader(resolve, reject);
      this.#client.dispatch({ method: 'POST', path, headers, body }, this.#reader);
    });
  }

  /** Closes it, and rejects the exchange in flight with the reason. */
  end(reason: Error = new Error('the connection was ended')): void {
    this.#reader?.fail(reason);
    this.#connecting.abort(reason);
    if (!this.#client.destroyed) this.#client.destroy(reason, () => undefined);
  }

  async #connect(
    url: URL,
    options: ConnectOptions,
    callback: buildConnector.Callback,
  ): Promise<void> {
    try {
      const { socket, facts } = await connectChecked(url, options, this.#connecting.signal);
      this.facts = facts;
      this.#client.once('connect', () => readLeniently(socket));
      callback(null, socket);
    } catch (error) {
      callback(error as Error, null);
    }
  }
}
