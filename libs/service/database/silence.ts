import type { Socket } from 'node:net';

/** A connection to a server, as the watch sees it. */
export interface Watched {
  /** Which of the servers. */
  readonly at: number;
  /** Whether a statement was sent and is not answered. */
  isBusy(): boolean;
  readonly stream: Pick<Socket, 'bytesRead' | 'destroy'>;
}

export interface SilenceOptions {
  /** How long a statement may be without a byte of answer before the server is asked for a sign of life. */
  silentMs: number;
  /** Resolves when the server lets a new connection in; rejects, within its own time limit, when it does not. */
  probe: (at: number) => Promise<unknown>;
  /** Told of a server that gave no sign of life: its connections are broken by then. */
  onSilent: (at: number) => void;
}

/**
 * Breaks the connections to a server that is gone without having closed them: a machine that lost its power or its network.
 * The kernel would go on for a quarter of an hour, with every connection of the pool in a statement that is never answered.
 * A slow statement is no sign of that: the server is asked over another connection, and while it answers nothing is broken.
 */
export class SilenceWatch {
  readonly #options: SilenceOptions;
  readonly #watched = new Map<Watched, { bytesRead: number; since: number }>();
  readonly #probing = new Set<number>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: SilenceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.silentMs / 2).unref();
  }

  add(connection: Watched): void {
    this.#watched.set(connection, { bytesRead: -1, since: 0 });
  }

  remove(connection: Watched): void {
    this.#watched.delete(connection);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [connection, seen] of this.#watched) {
      const { bytesRead } = connection.stream;
      if (!connection.isBusy() || bytesRead !== seen.bytesRead) {
        seen.bytesRead = bytesRead;
        seen.since = now;
      } else if (now - seen.since >= this.#options.silentMs) {
        seen.since = now;
        void this.#probe(connection.at);
      }
    }
  }

  async #probe(at: number): Promise<void> {
    if (this.#probing.has(at)) return;
    this.#probing.add(at);
    try {
      await this.#options.probe(at);
    } catch {
      for (const connection of this.#watched.keys())
        if (connection.at === at) connection.stream.destroy();
      this.#options.onSilent(at);
    } finally {
      this.#probing.delete(at);
    }
  }
}
