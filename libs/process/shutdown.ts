import type { Log } from './log.js';

type Release = () => unknown;

/** Releases resources in reverse order of their acquisition: stop accepting work, finish work in flight, close. */
export class ReleaseStack {
  readonly #releases: Release[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly onRelease = (release: Release): void => void this.#releases.push(release);

  async release(): Promise<void> {
    for (let release = this.#releases.pop(); release; release = this.#releases.pop()) {
      try {
        await release();
      } catch (error) {
        // The remaining resources must be released nevertheless.
        this.#log.error({ err: error }, 'failed to release a resource');
      }
    }
  }
}
