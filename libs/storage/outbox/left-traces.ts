import type { OutboxRow } from './event.js';

/** Rows that wait until their traces are recorded. The events of further ones have no trace. */
const rowsMax = 1000;

/**
 * The traces of rows that are left to the sweeper. They are recorded only then: as the rows of most events are published at once, a
 * column in each statement that writes events would cost more. A crash between the commit and the publication loses them.
 */
export class LeftTraces {
  readonly #record: (rows: readonly OutboxRow[]) => Promise<void>;
  #waiting: OutboxRow[] = [];
  #isRecording = false;

  /** @param record may fail */
  constructor(record: (rows: readonly OutboxRow[]) => Promise<void>) {
    this.#record = record;
  }

  /** Returns immediately. */
  keep(rows: readonly OutboxRow[]): void {
    for (const row of rows)
      if (row.traces && this.#waiting.length < rowsMax) this.#waiting.push(row);
    if (this.#waiting.length > 0 && !this.#isRecording) void this.#recordAll();
  }

  async #recordAll(): Promise<void> {
    this.#isRecording = true;
    while (this.#waiting.length > 0) {
      const rows = this.#waiting;
      this.#waiting = [];
      // Their events are published without a trace.
      await this.#record(rows).catch(() => undefined);
    }
    this.#isRecording = false;
  }
}
