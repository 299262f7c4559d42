import type { Checkpoint, Claim, MarkedRow } from '../../../outbox/table.js';
import type { Position } from '../../../outbox/positions.js';
import type { OutboxRow } from '../../../index.js';

interface Row {
  event: OutboxRow;
  sequence: number | null;
  /** The process whose transaction locks the row. */
  lockedBy: unknown;
}

/** The outbox in memory, shared by the processes of a service. Each method is one statement and atomic. */
export class ModelTable {
  readonly rows = new Map<string, Row>();
  #epoch = 0;
  #compared = 0;
  #isFresh = false;
  #incarnation: string | undefined;
  #positions: readonly Position[] = [];

  insert(events: readonly OutboxRow[]): void {
    for (const event of events)
      this.rows.set(event.id, { event, sequence: null, lockedBy: undefined });
  }

  mark(marks: readonly { id: string; sequence: number }[], epoch = this.#epoch): boolean {
    if (epoch !== this.#epoch) return false;
    for (const { id, sequence } of marks) {
      const row = this.rows.get(id)!;
      row.sequence ??= sequence;
    }
    return true;
  }

  /** Rows locked for one sweeper until it releases them. */
  lock(
    { after, workspacesMax, rowsMax }: Pick<Claim, 'after' | 'workspacesMax' | 'rowsMax'>,
    process: unknown,
  ): { events: OutboxRow[]; reached: string | undefined } {
    const left = [...this.rows.values()].filter(({ sequence }) => sequence === null);
    const workspaces = [...new Set(left.map(({ event }) => event.workspaceId))]
      .filter((workspaceId) => workspaceId > after)
      .toSorted()
      .slice(0, workspacesMax);
    const free = left.filter(({ lockedBy }) => lockedBy === undefined);
    const locked = workspaces.flatMap((workspaceId) =>
      free
        .filter(({ event }) => event.workspaceId === workspaceId)
        .slice(0, Math.max(1, Math.floor(rowsMax / workspaces.length))),
    );
    for (const row of locked) row.lockedBy = process;
    const reached = workspaces.length < workspacesMax ? undefined : workspaces.at(-1);
    return { events: locked.map(({ event }) => event), reached };
  }

  unlock(process: unknown): void {
    for (const row of this.rows.values()) if (row.lockedBy === process) row.lockedBy = undefined;
  }

  checkpoint(): Checkpoint {
    const isFinished = this.#compared === this.#epoch;
    return {
      epoch: this.#epoch,
      comparison: isFinished ? 'finished' : this.#isFresh ? 'running' : 'abandoned',
      incarnation: this.#incarnation,
      positions: this.#positions,
      isBatching: true,
    };
  }

  raise(epoch: number): boolean {
    const checkpoint = this.checkpoint();
    if (epoch !== this.#epoch || checkpoint.comparison === 'running') return false;
    this.#epoch += 1;
    this.#isFresh = true;
    return true;
  }

  advance(epoch: number, positions: readonly Position[]): void {
    if (epoch === this.#epoch && this.#compared === epoch) this.#positions = positions;
  }

  newest(): number {
    return Math.max(0, ...[...this.rows.values()].map(({ sequence }) => sequence ?? 0));
  }

  marked(after: Pick<MarkedRow, 'sequence' | 'id'>, until: number, rowsMax: number): MarkedRow[] {
    const marked = [...this.rows.values()].flatMap(({ event, sequence }) =>
      sequence === null ? [] : [{ workspaceId: event.workspaceId, id: event.id, sequence }],
    );
    return marked
      .filter((row) => order(row, after) > 0 && row.sequence <= until)
      .toSorted(order)
      .slice(0, rowsMax);
  }

  unmark(marks: readonly MarkedRow[], epoch: number): boolean {
    if (epoch !== this.#epoch) return false;
    this.#isFresh = true;
    for (const { id, sequence } of marks) {
      const row = this.rows.get(id)!;
      if (row.sequence === sequence) row.sequence = null;
    }
    return true;
  }

  finish(epoch: number, agreed: Pick<Checkpoint, 'incarnation' | 'positions'>): void {
    if (epoch !== this.#epoch) return;
    this.#compared = epoch;
    this.#incarnation = agreed.incarnation;
    this.#positions = agreed.positions;
  }

  /** Whether a comparison is abandoned: its process said so, or sent no heartbeat for too long. */
  abandon(epoch = this.#epoch): void {
    if (epoch === this.#epoch) this.#isFresh = false;
  }
}

const order = (
  a: Pick<MarkedRow, 'sequence' | 'id'>,
  b: Pick<MarkedRow, 'sequence' | 'id'>,
): number => a.sequence - b.sequence || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
