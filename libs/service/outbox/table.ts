import type { OutboxEvent } from './event.js';
import type { Position } from './positions.js';

/** An event, and where the stream acknowledged it. */
export interface Acknowledged {
  event: OutboxEvent;
  sequence: number;
}

/** A row that is marked as published. */
export interface MarkedRow {
  workspaceId: string;
  id: string;
  sequence: number;
}

/** How far the outbox is known to agree with the stream. One row in PostgreSQL, for all processes of the service. */
export interface Checkpoint {
  /** Raised by each comparison. Marks of an earlier epoch are refused. */
  epoch: number;
  /** `finished`: the comparison of this epoch is done. `running`: a process is at it. `abandoned`: no process is any more. */
  comparison: 'finished' | 'running' | 'abandoned';
  /** Of the stream as it was last compared, see `StreamTail`. */
  incarnation: string | undefined;
  /** Messages of the stream; as long as it holds one of them, every row that is marked up to there is published. Ascending. */
  positions: readonly Position[];
}

export interface Claim {
  /** How old an unpublished row is before it is taken. */
  olderThanMs: number;
  rowsMax: number;
  epoch: number;
}

export interface Swept {
  claimed: number;
  marked: number;
}

/**
 * The outbox as a table that the processes of a service share. Each method is one statement or one transaction; the answer
 * to one that was sent may never come, and the statement have run all the same.
 */
export interface OutboxTable {
  /** Writes down where the stream holds events. False when the epoch is over: nothing was written then. */
  mark(acknowledged: readonly Acknowledged[], epoch: number): Promise<boolean>;
  /** Publishes rows that no other sweeper has, and marks those that were acknowledged. None is marked when the epoch is over. */
  sweep(
    claim: Claim,
    publish: (events: readonly OutboxEvent[]) => Promise<Acknowledged[]>,
  ): Promise<Swept>;
  checkpoint(): Promise<Checkpoint>;
  /** Begins the epoch after this one. False when another process did, or is comparing. */
  raise(epoch: number): Promise<boolean>;
  /** Writes down further positions, where nothing had to be compared. Without effect when the epoch is over. */
  advance(epoch: number, positions: readonly Position[]): Promise<void>;
  /** The highest sequence that is written down, or 0. */
  newest(): Promise<number>;
  /** Marked rows after this one, up to a sequence, in the order of sequences and ids. */
  marked(
    after: Pick<MarkedRow, 'sequence' | 'id'>,
    until: number,
    rowsMax: number,
  ): Promise<MarkedRow[]>;
  /** Takes the marks of rows back, and says that the comparison goes on. False when the epoch is over. */
  unmark(rows: readonly MarkedRow[], epoch: number): Promise<boolean>;
  /** The comparison of this epoch is done. Without effect when the epoch is over. */
  finish(
    epoch: number,
    agreed: { incarnation: string | undefined; positions: readonly Position[] },
  ): Promise<void>;
  /** The comparison of this epoch ended before it was done: another may begin at once. */
  abandon(epoch: number): Promise<void>;
}
