import { countOf, type OutboxRow } from './event.js';

/** Maximum number of queued events. */
const eventsMax = 10_000;
/** Maximum number of those of one workspace. */
const workspaceEventsMax = (eventsMax * 7) / 8;
/** Maximum number of characters of the details of the queued events, and of those of one workspace. */
const detailsMax = 32 * 1024 * 1024;
const workspaceDetailsMax = (detailsMax * 7) / 8;

interface Turn {
  workspaceId: string;
  rows: OutboxRow[];
  /** Number of their events. */
  events: number;
  details: number;
}

/** The body of a row with several events contains their details. */
const detailsOf = ({ body, details }: OutboxRow): number =>
  details?.length ?? (body.startsWith('{') ? 0 : body.length);

/** Rows that wait in memory to be published. Workspaces take turns, and the rows of each keep their order. */
export class EventQueue {
  readonly #turns: Turn[] = [];
  readonly #turnOf = new Map<string, Turn>();
  #next = 0;
  #length = 0;
  #details = 0;

  /** Number of events. */
  get length(): number {
    return this.#length;
  }

  /** Returns false, without adding the row, if too many events are queued. */
  add(row: OutboxRow): boolean {
    const details = detailsOf(row);
    if (this.#length >= eventsMax || this.#details + details > detailsMax) return false;
    const { workspaceId } = row;
    let turn = this.#turnOf.get(workspaceId);
    if (turn === undefined) {
      turn = { workspaceId, rows: [], events: 0, details: 0 };
      this.#turnOf.set(workspaceId, turn);
      this.#turns.push(turn);
    }
    if (turn.events >= workspaceEventsMax || turn.details + details > workspaceDetailsMax)
      return false;
    const count = countOf(row);
    turn.rows.push(row);
    turn.events += count;
    turn.details += details;
    this.#length += count;
    this.#details += details;
    return true;
  }

  /**
   * Removes the next row.
   *
   * @param isTurnOf whether the workspace, with that many events in the queue, may have a turn; otherwise it is skipped
   */
  take(
    isTurnOf: (workspaceId: string, events: number) => boolean = () => true,
  ): OutboxRow | undefined {
    const count = this.#turns.length;
    for (let passed = 0; passed < count; passed += 1) {
      const at = (this.#next + passed) % count;
      const { workspaceId, events } = this.#turns[at]!;
      if (isTurnOf(workspaceId, events)) return this.#takeFrom(at);
    }
    return undefined;
  }

  #takeFrom(at: number): OutboxRow {
    const turn = this.#turns[at]!;
    const row = turn.rows.shift()!;
    const [details, count] = [detailsOf(row), countOf(row)];
    turn.events -= count;
    turn.details -= details;
    this.#length -= count;
    this.#details -= details;
    this.#next = at + 1;
    if (turn.rows.length === 0) {
      this.#turns.splice(at, 1);
      this.#turnOf.delete(row.workspaceId);
      this.#next = at;
    }
    return row;
  }

  clear(): void {
    this.#turns.length = 0;
    this.#turnOf.clear();
    this.#length = 0;
    this.#details = 0;
  }
}
