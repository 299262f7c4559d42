import type { StreamTail } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import {
  countHeld,
  isAgedOut,
  isHeld,
  positionOf,
  withPosition,
  type Position,
} from './positions.js';
import type { OutboxStream } from './stream.js';
import type { MarkedRow, OutboxTable } from './table.js';

interface Parts {
  table: OutboxTable;
  stream: OutboxStream;
}

export interface Reconciled {
  /** What is published from now on belongs to it. */
  epoch: number;
  /**
   * `agreed`: the stream has lost nothing. `elsewhere`: another process compares, or has just begun a later epoch; ask again.
   * Otherwise the comparison that this process has begun, and must run.
   */
  result: 'agreed' | 'elsewhere' | Comparison;
}

/**
 * Finds out whether the stream may have lost messages that it acknowledged. If so, it begins a new epoch, and no
 * acknowledgement of an earlier one is written down any more: what is marked can be compared with the stream while events
 * are published.
 *
 * The stream is looked at before the epoch is raised: an event of the new epoch is stored after that look.
 */
export async function reconcile({ table, stream }: Parts): Promise<Reconciled> {
  const checkpoint = await table.checkpoint();
  const { epoch, positions } = checkpoint;
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
    return { epoch, result: 'agreed' };
  }
  if (!(await table.raise(epoch)))
    return { epoch: (await table.checkpoint()).epoch, result: 'elsewhere' };
  const raised = epoch + 1;
  const comparison = new Comparison({ table, stream }, { epoch: raised, tail, positions });
  return { epoch: raised, result: comparison };
}

interface Beginning {
  epoch: number;
  /** Before the epoch began. */
  tail: StreamTail;
  /** Of the checkpoint. */
  positions: readonly Position[];
}

export interface ComparisonLimits {
  /** Rows in memory at once. */
  rowsMax: number;
  /** Messages asked for at once. */
  requestsMax: number;
}

export interface Outcome {
  /** Events whose messages the stream does not hold any more: their rows are not marked any more. */
  lost: number;
  /** Rows up to this sequence were known to be published. */
  after: number;
  /** False when another process has taken over. */
  finished: boolean;
}

const limitsDefault: ComparisonLimits = { rowsMax: 1000, requestsMax: 64 };
const firstEpoch = 1;
const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * Compares what is marked with what the stream holds, row by row from the newest position that the stream still holds, and
 * takes the marks of lost events back. Rows of one service may be marked with sequences at which the stream now holds other
 * messages, of this service too: no single row tells of the rows before it.
 */
export class Comparison {
  readonly #parts: Parts;
  readonly #beginning: Beginning;

  constructor(parts: Parts, beginning: Beginning) {
    this.#parts = parts;
    this.#beginning = beginning;
  }

  /**
   * @param goesOn false when the process stops
   * @throws when NATS or PostgreSQL is away; another comparison may begin at once then
   */
  async run(goesOn: () => boolean, limits = limitsDefault): Promise<Outcome> {
    const { table } = this.#parts;
    const { epoch } = this.#beginning;
    try {
      const outcome = await this.#compare(goesOn, limits);
      if (!outcome) await table.abandon(epoch);
      return outcome ?? { lost: 0, after: 0, finished: false };
    } catch (error) {
      await table.abandon(epoch).catch(() => undefined);
      throw error;
    }
  }

  async #compare(goesOn: () => boolean, limits: ComparisonLimits): Promise<Outcome | undefined> {
    const { table, stream } = this.#parts;
    const { epoch, tail, positions } = this.#beginning;
    const now = await stream.tail();
    const held = positions.slice(0, await countHeld(positions, stream, now));
    const until = await table.newest();
    const known = epoch === firstEpoch ? await this.#lastHeld(until) : held.at(-1)?.sequence;
    const after = Math.max(known ?? 0, Math.min(now.first - 1, now.last));
    let lost = 0;
    let last = { sequence: after + 1, id: lowestId };
    for (;;) {
      const rows = await table.marked(last, until, limits.rowsMax);
      if (rows.length === 0) break;
      const gone = await this.#lostOf(rows, limits.requestsMax);
      if (!(await table.unmark(gone, epoch))) return { lost, after, finished: false };
      lost += gone.length;
      last = rows.at(-1)!;
      if (!goesOn()) return undefined;
    }
    const { incarnation } = tail;
    await table.finish(epoch, { incarnation, positions: withPosition(held, positionOf(tail)) });
    return { lost, after, finished: true };
  }

  /**
   * The highest sequence whose row is held. Before the first epoch, the release that marked the rows compared them whenever the
   * link returned: those that are held come before those that are lost.
   */
  async #lastHeld(until: number): Promise<number> {
    const { table, stream } = this.#parts;
    const tail = await stream.tail();
    let [held, lost] = [0, until + 1];
    while (held + 1 < lost) {
      const middle = Math.floor((held + lost) / 2);
      const [row] = await table.marked({ sequence: middle, id: lowestId }, until, 1);
      if (!row || (await this.#isLost(row, tail))) lost = middle;
      else held = row.sequence;
    }
    return held;
  }

  async #isLost({ sequence, id }: MarkedRow, tail: StreamTail): Promise<boolean> {
    if (sequence > tail.last) return true;
    if (isAgedOut(sequence, tail)) return false;
    return (await this.#parts.stream.messageAt(sequence))?.id !== encodeId('event', id);
  }

  /** Those of the rows whose messages the stream does not hold. */
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
