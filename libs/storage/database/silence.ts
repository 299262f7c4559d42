import type { Socket } from 'node:net';

/** A connection to a server, as the watch sees it. */
export interface Watched {
  /** Identifies the server. */
  readonly at: number;
  /** Whether a response to a statement is outstanding. */
  isBusy(): boolean;
  readonly stream: Pick<Socket, 'bytesRead' | 'destroy'>;
}

export interface SilenceOptions {
  /** How long a statement may be without any response before the server is checked over another connection. */
  silentMs: number;
  /** Resolves when the server accepts a new connection, and rejects, within its own time limit, if it does not. */
  probe: (at: number) => Promise<unknown>;
  /** Called for a server that did not respond, after its connections were destroyed. */
  onSilent: (at: number) => void;
}

/**
 * Destroys the connections to a server that disappeared without closing them, because of a power or network failure. The
 * kernel would keep them for 15 minutes, each with a statement that is never answered. A slow statement is not proof: the
 * server is checked over another connection, and while it responds, nothing is destroyed.
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
