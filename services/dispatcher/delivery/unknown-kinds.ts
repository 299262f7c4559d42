import { Deferred, Unusable, type ConsumedEvent } from '@roster/bus';
import { timeOfId } from '@roster/service';

/** Each deferred event takes one of the places that the consumer has for unacknowledged events. */
const retryAfterMs = 10_000;
const waitingMax = 512;
const waitingPerWorkspaceMax = 64;
/** Longer than a rollout takes. */
const ageMsMax = 3_600_000;

type EventKey = Pick<ConsumedEvent, 'kind' | 'rawId' | 'rawWorkspaceId'>;

/**
 * Events of kinds that this release does not know. During a rollout a process of the next release publishes them, and another
 * delivers them: they are given back to the stream. After an hour, and beyond a number of events, they are dropped.
 */
export class UnknownKinds {
  /** By event id, the one given back longest ago first. */
  readonly #waiting = new Map<string, { workspaceId: string; at: number }>();

  /** @throws Deferred; Unusable for an event that is dropped */
  refuse({ kind, rawId, rawWorkspaceId: workspaceId }: EventKey, now = Date.now()): never {
    const reason = `unknown kind ${kind}`;
    this.#expire(now);
    const isKnown = this.#waiting.delete(rawId);
    if (now - timeOfId(rawId) > ageMsMax) throw new Unusable(`${reason} for an hour`);
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

  /** Another process has those that did not return. */
  #expire(now: number): void {
    for (const [id, { at }] of this.#waiting) {
      if (now - at < 2 * retryAfterMs) return;
      this.#waiting.delete(id);
    }
  }
}
