import type { OutboxEvent } from './event.js';

/** Maximum number of queued events. */
const eventsMax = 10_000;
/** Maximum number of those of one workspace. */
const workspaceEventsMax = (eventsMax * 7) / 8;
/** Maximum number of characters of the details of the queued events, and of those of one workspace. */
const detailsMax = 32 * 1024 * 1024;
const workspaceDetailsMax = (detailsMax * 7) / 8;

interface Turn {
  workspaceId: string;
  events: OutboxEvent[];
  details: number;
}

const detailsOf = ({ details }: OutboxEvent): number => details?.length ?? 0;

/** Events that wait in memory to be published. Workspaces take turns, and the events of each keep their order. */
export class EventQueue {
  readonly #turns: Turn[] = [];
  readonly #turnOf = new Map<string, Turn>();
  #next = 0;
  #length = 0;
  #details = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns false, without adding the event, if too many are queued. */
  add(event: OutboxEvent): boolean {
    const details = detailsOf(event);
    if (this.#length >= eventsMax || this.#details + details > detailsMax) return false;
    const { workspaceId } = event;
    let turn = this.#turnOf.get(workspaceId);
    if (turn === undefined) {
      turn = { workspaceId, events: [], details: 0 };
      this.#turnOf.set(workspaceId, turn);
      this.#turns.push(turn);
    }
    if (turn.events.length >= workspaceEventsMax || turn.details + details > workspaceDetailsMax)
      return false;
    turn.events.push(event);
    turn.details += details;
    this.#length += 1;
    this.#details += details;
    return true;
  }

  /**
   * Removes the next event.
   *
   * @param isTurnOf whether the workspace, with that many events in the queue, may have a turn; otherwise it is skipped
   */
  take(
    isTurnOf: (workspaceId: string, events: number) => boolean = () => true,
  ): OutboxEvent | undefined {
    const count = this.#turns.length;
    for (let passed = 0; passed < count; passed += 1) {
      const at = (this.#next + passed) % count;
      const { workspaceId, events } = this.#turns[at]!;
      if (isTurnOf(workspaceId, events.length)) return this.#takeFrom(at);
    }
    return undefined;
  }

  #takeFrom(at: number): OutboxEvent {
    const turn = this.#turns[at]!;
    const event = turn.events.shift()!;
    const details = detailsOf(event);
    turn.details -= details;
    this.#length -= 1;
    this.#details -= details;
    this.#next = at + 1;
    if (turn.events.length === 0) {
      this.#turns.splice(at, 1);
      this.#turnOf.delete(event.workspaceId);
      this.#next = at;
    }
    return event;
  }

  /** Removes all events. */
  clear(): void {
    this.#turns.length = 0;
    this.#turnOf.clear();
    this.#length = 0;
    this.#details = 0;
  }
}
