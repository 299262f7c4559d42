import type { Operation, ServiceName } from '@roster/contracts';

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
