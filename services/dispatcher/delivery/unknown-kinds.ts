import { Deferred, Unusable, type ConsumedEvent } from '@roster/bus';
import { timeOfId } from '@roster/process';

/** Each deferred event counts towards the consumer's limit of unacknowledged events. */
const retryAfterMs = 10_000;
const waitingMax = 512;
const waitingPerWorkspaceMax = 64;
/** Longer than a rollout takes. */
const ageMsMax = 3_600_000;
/** In that time. The age alone would drop new events after the clock of the machine was set. */
const deliveriesMax = ageMsMax / retryAfterMs;

type EventKey = Pick<ConsumedEvent, 'kind' | 'rawId' | 'rawWorkspaceId' | 'deliveries'>;

/**
 * Gives events of kinds that this release does not know back to the stream: during a rollout, processes of the next release
 * publish and deliver them. After an hour, and above a number of events, they are dropped.
 */
export class UnknownKinds {
  /** By event ID, in the order in which they were given back, by `performance.now()`. */
  readonly #waiting = new Map<string, { workspaceId: string; at: number }>();

  /** @throws Deferred; Unusable for an event that is dropped */
  refuse(event: EventKey, now = performance.now()): never {
    const { kind, rawId, rawWorkspaceId: workspaceId } = event;
    const reason = `unknown kind ${kind}`;
    this.#expire(now);
    const isKnown = this.#waiting.delete(rawId);
    if (event.deliveries > deliveriesMax && Date.now() - timeOfId(rawId) > ageMsMax)
      throw new Unusable(`${reason} for an hour`);
    if (!isKnown && !this.#hasRoom(workspaceId))
      throw new Unusable(`${reason}, and too many such events wait`);
    this.#waiting.set(rawId, { workspaceId, at: now });
    throw new Deferred(reason, retryAfterMs);
  }

  #hasRoom(workspaceId: string): boolean {
    const entries = [...this.#waiting.values()];
    const own = entries.filter((entry) => entry.workspaceId === workspaceId).length;
    return entries.length < waitingMax && own < waitingPerWorkspaceMax;
  }

  /** Removes those that did not return: another process has handled them. */
  #expire(now: number): void {
    for (const [id, { at }] of this.#waiting) {
      if (now - at < 2 * retryAfterMs) return;
      this.#waiting.delete(id);
    }
  }
}
