import { steadyNow } from '@roster/bus';

export interface ExportLimits {
  /** Maximum number of exports in flight of this process. */
  process: number;
  /** Of these, maximum number of one workspace. */
  workspace: number;
  /** Maximum duration of an export. */
  durationMs: number;
  /** An export may wait for its client for this time, and a further second for each `bytesPerSecondMin` of the file. */
  waitingMs: number;
  bytesPerSecondMin: number;
}

export const exportLimits: ExportLimits = {
  process: 16,
  workspace: 2,
  durationMs: 3_600_000,
  waitingMs: 30_000,
  bytesPerSecondMin: 64 * 1024,
};

/** An export is broken off, because it has taken too long. */
export class ExportTooLong extends Error {}

/**
 * Bounds how slowly a client reads a file. Each part has a deadline of its own; without a bound for all parts, a client that reads
 * each one just in time would keep the place of an export for days.
 */
export class ReadingPace {
  readonly #limits: Pick<ExportLimits, 'waitingMs' | 'bytesPerSecondMin'>;
  readonly #now: () => number;
  #leftMs: number;

  constructor(limits: Pick<ExportLimits, 'waitingMs' | 'bytesPerSecondMin'>, now = steadyNow) {
    this.#limits = limits;
    this.#now = now;
    this.#leftMs = limits.waitingMs;
  }

  /**
   * Waits until a part is taken.
   *
   * @throws ExportTooLong if the client has read all parts so far too slowly
   */
  async during(bytes: number, taken: Promise<void>): Promise<void> {
    const from = this.#now();
    await taken;
    this.#leftMs += (bytes / this.#limits.bytesPerSecondMin) * 1000 - (this.#now() - from);
    if (this.#leftMs < 0) throw new ExportTooLong('the client reads too slowly');
  }
}
