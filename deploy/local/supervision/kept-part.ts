import { setTimeout as delay } from 'node:timers/promises';

import type { LogFile } from './log-file.js';
import type { Part, Spawned } from './part.js';

export interface KeeperOptions {
  log: LogFile;
  /** Prints to the terminal. */
  print: (text: string) => void;
  readyTimeoutMs: number;
}

/** The pause before the second restart. The first one follows at once. */
const secondPauseMs = 200;
const pauseMsMax = 5_000;
/** After running this long, a part is restarted without the backoff of earlier failures. */
const soundAfterMs = 30_000;
const attemptsMax = 5;
const linesShown = 20;

/** Starts a part, and restarts it whenever it exits, until it is stopped. */
export class KeptPart {
  readonly #part: Part;
  readonly #options: KeeperOptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #finished: Promise<void>;
  #current: Spawned | undefined;

  constructor(part: Part, options: KeeperOptions) {
    this.#part = part;
    this.#options = options;
    this.#ready.promise.catch(() => {});
    this.#finished = this.#keepRunning();
  }

  /** Resolves when the part is ready for the first time. Rejects with its last log lines if it fails to start. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Stops the part permanently. It is killed at `deadline` (performance.now). */
  async stop(deadline: number): Promise<void> {
    this.#stopping.abort();
    this.#current?.stop();
    const kill = setTimeout(() => this.#current?.kill(), deadline - performance.now());
    await this.#finished;
    clearTimeout(kill);
  }

  async #keepRunning(): Promise<void> {
    const { name } = this.#part;
    const { print } = this.#options;
    let pauseMs = 0;
    let everReady = false;

    for (let attempt = 1; !this.#stopping.signal.aborted; attempt++) {
      const startedAt = performance.now();
      const { wasReady, how } = await this.#runOnce(everReady);
      everReady ||= wasReady;
      if (this.#stopping.signal.aborted) break;
      if (!everReady && attempt === attemptsMax) {
        this.#ready.reject(new Error(`${name} does not start: it ${how}.${this.#lastLines()}`));
        return;
      }
      if (performance.now() - startedAt > soundAfterMs) pauseMs = 0;
      // Only the last of several start attempts is reported.
      print(
        `${name} ${how}.${everReady ? this.#lastLines() : ''}\nStarting ${name} again${pauseMs > 0 ? ` in ${pauseMs / 1000} s` : ''}.`,
      );
      await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      pauseMs = Math.min(Math.max(pauseMs * 2, secondPauseMs), pauseMsMax);
    }
    this.#ready.reject(new Error(`${name} was stopped.`));
  }

  async #runOnce(isRestart: boolean): Promise<{ wasReady: boolean; how: string }> {
    const { log, print, readyTimeoutMs } = this.#options;
    log.begin();
    const spawned = this.#part.spawn(log);
    this.#current = spawned;
    let wasReady = false;
    let late: string | undefined;
    const patience = setTimeout(() => {
      late = `was not ready within ${readyTimeoutMs / 1000} s`;
      if (!isRestart)
        this.#ready.reject(new Error(`${this.#part.name} ${late}.${this.#lastLines()}`));
      spawned.kill();
    }, readyTimeoutMs);
    void spawned.ready.then(
      () => {
        wasReady = true;
        clearTimeout(patience);
        this.#ready.resolve();
        if (isRestart) print(`${this.#part.name} is running again.`);
      },
      () => {},
    );
    const how = await spawned.ended;
    clearTimeout(patience);
    return { wasReady, how: late ?? how };
  }

  #lastLines(): string {
    const { log } = this.#options;
    const lines = log.tail(linesShown);
    if (lines.length === 0) return ` It wrote nothing to ${log.path}.`;
    return ` Its last lines in ${log.path}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  }
}
