import { setTimeout as delay } from 'node:timers/promises';

import type { LogFile } from './log-file.js';
import type { Part, Spawned } from './part.js';

export interface KeeperOptions {
  log: LogFile;
  /** Tells the person at the terminal. */
  say: (text: string) => void;
  readyTimeoutMs: number;
}

const firstPauseMs = 200;
const pauseMsMax = 5_000;
/** Having run for so long, it starts again without the pauses of earlier failures. */
const soundAfterMs = 30_000;
const attemptsMax = 5;
const linesShown = 20;

/** Starts a part, and starts it again whenever it ends, until it is stopped. */
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

  /** Resolves when it serves for the first time. Rejects, with its last lines, when it does not get there. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Stops it for good, at the latest when `deadline` (as of performance.now) has come. */
  async stop(deadline: number): Promise<void> {
    this.#stopping.abort();
    this.#current?.stop();
    const kill = setTimeout(() => this.#current?.kill(), deadline - performance.now());
    await this.#finished;
    clearTimeout(kill);
  }

  async #keepRunning(): Promise<void> {
    const { name } = this.#part;
    const { say } = this.#options;
    let pauseMs = firstPauseMs;
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
      if (performance.now() - startedAt > soundAfterMs) pauseMs = firstPauseMs;
      // The last of several attempts at the start tells the whole story.
      say(
        `${name} ${how}.${everReady ? this.#lastLines() : ''}\nStarting ${name} again in ${pauseMs / 1000} s.`,
      );
      await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    }
    this.#ready.reject(new Error(`${name} was stopped.`));
  }

  async #runOnce(isRestart: boolean): Promise<{ wasReady: boolean; how: string }> {
    const { log, say, readyTimeoutMs } = this.#options;
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
        if (isRestart) say(`${this.#part.name} is running again.`);
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
