import type { Operation, ServiceName } from '@roster/contracts';

/** Calls to a service without responders are retried for this long before they fail. Restarts of services take less. */
const graceMs = 2000;
/** An absence that was observed longer ago than this is forgotten: the service may have been available meanwhile. */
const forgetMs = 10_000;
const delayMsMin = 20;
const delayMsMax = 200;

/** Tracks for how long an operation has had no responders. NATS reports that immediately for each batch. */
export class Absence {
  #since: number | null = null;
  #seenAt = 0;

  /** NATS reported no responders. */
  seen(now: number): void {
    if (this.#since === null || now - this.#seenAt > forgetMs) this.#since = now;
    this.#seenAt = now;
  }

  /**
   * A batch was answered. A batch sent before the last report of no responders proves nothing: a stopping service still
   * answers.
   */
  answered(sentAt: number): void {
    if (this.#since !== null && sentAt >= this.#seenAt) this.#since = null;
  }

  forget(): void {
    this.#since = null;
  }

  /** Whether calls wait for the service to return. After a longer absence they are tried once. */
  isShort(now: number): boolean {
    return this.#since !== null && now - this.#since < graceMs;
  }

  /** Delay between attempts. It grows with the duration of the absence. */
  retryDelayMs(now: number): number {
    const lastedMs = now - (this.#since ?? now);
    return Math.min(Math.max(lastedMs / 2, delayMsMin), delayMsMax);
  }
}

/**
 * Maximum number of unanswered calls to operations without responders. While they wait they occupy slots of the gateway, which
 * has 256, of which one workspace gets 224: the rest remains available to calls of other services. Absent services get equal
 * shares. A share that is not used is available to the others.
 */
const awaitingMax = 128;

interface Queue {
  readonly operation: Operation;
  readonly open: number;
  isAbsent(now: number): boolean;
}

/** By how many calls a service exceeds its share of the waiting calls; negative if more may wait. */
export function surplusOf(service: ServiceName, queues: Iterable<Queue>, now: number): number {
  const awaiting = new Map<ServiceName, number>();
  let total = 0;
  for (const queue of queues) {
    const { operation, open } = queue;
    if (open === 0 || !queue.isAbsent(now)) continue;
    awaiting.set(operation.service, (awaiting.get(operation.service) ?? 0) + open);
    total += open;
  }
  const share = Math.floor(awaitingMax / Math.max(1, awaiting.size));
  return Math.min(total - awaitingMax, (awaiting.get(service) ?? 0) - share);
}
