import type { StreamTail } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import {
  countHeld,
  isAgedOut,
  isHeld,
  positionOf,
  withPosition,
  type Position,
  type OutboxStream,
} from './positions.js';
import type { MarkedRow, OutboxTable } from './table.js';

interface Parts {
  table: OutboxTable;
  stream: OutboxStream;
}

export interface Reconciled {
  /** The epoch of events published from now on. */
  epoch: number;
  /** Of the checkpoint. */
  isBatching: boolean;
  /**
   * `agreed`: the stream has lost nothing. `elsewhere`: another process is comparing, or has just begun a later epoch; try
   * again later. Otherwise the comparison that this process has begun and must run.
   */
  result: 'agreed' | 'elsewhere' | Comparison;
}

/**
 * Determines whether the stream may have lost acknowledged messages. If so, it begins a new epoch, and acknowledgements of
 * earlier epochs are no longer recorded: the marked rows can be compared with the stream while events are published.
 *
 * The state of the stream is read before the epoch is raised. Every event of the new epoch is therefore stored after that.
 */
export async function reconcile({ table, stream }: Parts): Promise<Reconciled> {
  const checkpoint = await table.checkpoint();
  const { epoch, positions, isBatching } = checkpoint;
  const tail = await stream.tail();
  const newest = positions.at(-1);
  const isUnchanged =
    checkpoint.comparison === 'finished' &&
    tail.incarnation !== undefined &&
    tail.incarnation === checkpoint.incarnation &&
    (!newest || (await isHeld(newest, stream, tail)));
  if (isUnchanged) {
    if (tail.last !== newest?.sequence)
      await table.advance(epoch, withPosition(positions, positionOf(tail)));
    return { epoch, isBatching, result: 'agreed' };
  }
  if (!(await table.raise(epoch)))
    return { epoch: (await table.checkpoint()).epoch, isBatching, result: 'elsewhere' };
  const raised = epoch + 1;
  const comparison = new Comparison({ table, stream }, { epoch: raised, tail, positions });
  return { epoch: raised, isBatching, result: comparison };
}

interface Beginning {
  epoch: number;
  /** The state of the stream before the epoch began. */
  tail: StreamTail;
  /** The positions of the checkpoint. */
  positions: readonly Position[];
}

export interface ComparisonLimits {
  /** Maximum number of rows in memory. */
  rowsMax: number;
  /** Maximum number of concurrent requests for messages. */
  requestsMax: number;
}

export interface Outcome {
  /** Events whose messages the stream no longer holds. Their marks have been removed. */
  lost: number;
  /** Rows up to this sequence were known to be published. */
  after: number;
  /** False if another process has taken over. */
  finished: boolean;
}

const limitsDefault: ComparisonLimits = { rowsMax: 1000, requestsMax: 64 };
const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * Compares the marked rows with the stream, from the newest position that the stream still holds, and removes the marks of
 * lost events. Rows may be marked with sequences at which the stream now holds other messages, also of the same service: no
 * single row proves anything about earlier ones.
 */
export class Comparison {
  readonly #parts: Parts;
  readonly #beginning: Beginning;

  constructor(parts: Parts, beginning: Beginning) {
    this.#parts = parts;
    this.#beginning = beginning;
  }

  /**
   * @param shouldContinue returns false when the process stops
   * @throws if NATS or PostgreSQL is unreachable; another comparison may then begin immediately
   */
  async run(shouldContinue: () => boolean, limits = limitsDefault): Promise<Outcome> {
    const { table } = this.#parts;
    const { epoch } = this.#beginning;
    try {
      const outcome = await this.#compare(shouldContinue, limits);
      if (!outcome) await table.abandon(epoch);
      return outcome ?? { lost: 0, after: 0, finished: false };
    } catch (error) {
      await table.abandon(epoch).catch(() => undefined);
      throw error;
    }
  }

  async #compare(
    shouldContinue: () => boolean,
    limits: ComparisonLimits,
  ): Promise<Outcome | undefined> {
    const { table, stream } = this.#parts;
    const { epoch, tail, positions } = this.#beginning;
    const now = await stream.tail();
    const held = positions.slice(0, await countHeld(positions, stream, now));
    const until = await table.newest();
    const after = Math.max(held.at(-1)?.sequence ?? 0, Math.min(now.first - 1, now.last));
    let lost = 0;
    let last = { sequence: after + 1, id: lowestId };
    for (;;) {
      const rows = await table.marked(last, until, limits.rowsMax);
      if (rows.length === 0) break;
      const gone = await this.#lostOf(rows, limits.requestsMax);
      if (!(await table.unmark(gone, epoch))) return { lost, after, finished: false };
      lost += gone.length;
      last = rows.at(-1)!;
      if (!shouldContinue()) return undefined;
    }
    const { incarnation } = tail;
    await table.finish(epoch, { incarnation, positions: withPosition(held, positionOf(tail)) });
    return { lost, after, finished: true };
  }

  async #isLost({ sequence, id }: MarkedRow, tail: StreamTail): Promise<boolean> {
    if (sequence > tail.last) return true;
    if (isAgedOut(sequence, tail)) return false;
    return (await this.#parts.stream.messageAt(sequence))?.id !== encodeId('event', id);
  }

  /** The rows whose messages the stream does not hold. */
  async #lostOf(rows: readonly MarkedRow[], requestsMax: number): Promise<MarkedRow[]> {
    const tail = await this.#parts.stream.tail();
    const lost: MarkedRow[] = [];
    for (let at = 0; at < rows.length; at += requestsMax) {
      const some = rows.slice(at, at + requestsMax);
      const verdicts = await Promise.all(some.map((row) => this.#isLost(row, tail)));
      lost.push(...some.filter((_, index) => verdicts[index]));
    }
    return lost;
  }
}
