import type { Log } from '../log.js';

type Release = () => unknown;

/** What was acquired, given back in reverse: stop taking work, finish what is in flight, close. */
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
        // The rest must be given back all the same.
        this.#log.error({ err: error }, 'failed to release a resource');
      }
    }
  }
}
