import type { OutboxRow } from './event.js';
import type { Position } from './positions.js';

/** A row and the sequence at which the stream acknowledged it. */
export interface Acknowledged {
  row: OutboxRow;
  sequence: number;
}

/** A row marked as published. */
export interface MarkedRow {
  workspaceId: string;
  id: string;
  sequence: number;
}

/** How far the outbox is known to agree with the stream. One row in PostgreSQL, shared by all processes of the service. */
export interface Checkpoint {
  /** Incremented by each comparison. Marks of earlier epochs are refused. */
  epoch: number;
  /** State of the comparison of this epoch. `abandoned`: its process has ended or sends no heartbeats. */
  comparison: 'finished' | 'running' | 'abandoned';
  /** Incarnation of the stream at the last comparison, see `StreamTail`. */
  incarnation: string | undefined;
  /**
   * Messages of the stream, in ascending order. While the stream holds one of them, every row marked up to its sequence is
   * published.
   */
  positions: readonly Position[];
  /** Whether a row may have several events. */
  isBatching: boolean;
}

export interface Claim {
  /** Minimum age of an unpublished row. */
  olderThanMs: number;
  /** The workspaces after this one take their turn, in the order of their IDs. */
  after: string;
  /** Maximum number of workspaces. */
  workspacesMax: number;
  /** Maximum number of rows, which the workspaces share equally; at least one of each. Of each, the oldest rows. */
  rowsMax: number;
  /** Bytes of the rows, shared in the same way: the rows of a workspace end with the one that reaches its share. */
  bytesMax: number;
  epoch: number;
}

export interface Swept {
  claimed: number;
  marked: number;
  /** Number of the events of the marked rows. */
  events: number;
  /** The last workspace; undefined if no other one follows. */
  reached: string | undefined;
}

/**
 * The outbox as a table that the processes of a service share. Each method is one statement or one transaction. A call may
 * fail although its statement was executed.
 */
export interface OutboxTable {
  /** Records the sequences of rows. Returns false, without recording anything, if the epoch is over. */
  mark(acknowledged: readonly Acknowledged[], epoch: number): Promise<boolean>;
  /** Publishes rows that no other sweeper has, and marks the acknowledged ones. Marks none if the epoch is over. */
  sweep(
    claim: Claim,
    publish: (rows: readonly OutboxRow[]) => Promise<Acknowledged[]>,
  ): Promise<Swept>;
  checkpoint(): Promise<Checkpoint>;
  /** Begins the next epoch. Returns false if another process has begun it, or is comparing. */
  raise(epoch: number): Promise<boolean>;
  /** Records further positions if no comparison was required. Has no effect if the epoch is over. */
  advance(epoch: number, positions: readonly Position[]): Promise<void>;
  /** The highest recorded sequence, or 0. */
  newest(): Promise<number>;
  /** Marked rows after the given one, up to a sequence, ordered by sequence and ID. */
  marked(
    after: Pick<MarkedRow, 'sequence' | 'id'>,
    until: number,
    rowsMax: number,
  ): Promise<MarkedRow[]>;
  /** Removes the marks of rows, and records a heartbeat. Returns false if the epoch is over. */
  unmark(rows: readonly MarkedRow[], epoch: number): Promise<boolean>;
  /** Completes the comparison of this epoch. Has no effect if the epoch is over. */
  finish(
    epoch: number,
    agreed: { incarnation: string | undefined; positions: readonly Position[] },
  ): Promise<void>;
  /** Abandons the comparison of this epoch: another may begin immediately. */
  abandon(epoch: number): Promise<void>;
}
