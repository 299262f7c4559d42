import type { OutboxEvent } from './event.js';

/** Maximum number of queued events. */
const eventsMax = 10_000;
/** Maximum number of those of one workspace. */
const workspaceEventsMax = (eventsMax * 7) / 8;

interface Turn {
  workspaceId: string;
  events: OutboxEvent[];
}

/** Events that wait in memory to be published. Workspaces take turns, and the events of each keep their order. */
export class EventQueue {
  readonly #turns: Turn[] = [];
  readonly #turnOf = new Map<string, Turn>();
  #next = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns false, without adding the event, if too many are queued. */
  add(event: OutboxEvent): boolean {
    if (this.#length >= eventsMax) return false;
    const { workspaceId } = event;
    let turn = this.#turnOf.get(workspaceId);
    if (turn === undefined) {
      turn = { workspaceId, events: [] };
      this.#turnOf.set(workspaceId, turn);
      this.#turns.push(turn);
    }
    if (turn.events.length >= workspaceEventsMax) return false;
    turn.events.push(event);
    this.#length += 1;
    return true;
  }

  /** Removes the next event. */
  take(): OutboxEvent | undefined {
    const at = this.#next < this.#turns.length ? this.#next : 0;
    const turn = this.#turns[at];
    if (!turn) return undefined;
    const event = turn.events.shift()!;
    this.#length -= 1;
    this.#next = at + 1;
    if (turn.events.length === 0) {
      this.#turns.splice(at, 1);
      this.#turnOf.delete(turn.workspaceId);
      this.#next = at;
    }
    return event;
  }

  /** Removes all events. */
  clear(): void {
    this.#turns.length = 0;
    this.#turnOf.clear();
    this.#length = 0;
  }
}
