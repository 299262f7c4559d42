import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contenders/contender.js';
import { processorTimes, secondsBetween } from './process-usage.js';

const lookMs = 150;
/** The kernel counts CPU time in hundredths of a second: up to two may be attributed to any interval. */
const idleCores = 0.15;
const settleMsMax = 20_000;

/**
 * Waits until a contender and its dependencies are idle: requests of closed clients, events, deliveries and vacuuming
 * are completed.
 */
export async function settle(contenders: readonly Contender[]): Promise<void> {
  const pids = new Set(
    contenders.flatMap((contender) => Object.values(contender.processes()).flat()),
  );
  const deadline = performance.now() + settleMsMax;
  let before = processorTimes([...pids]);
  while (performance.now() < deadline) {
    await delay(lookMs);
    const after = processorTimes([...pids]);
    if (secondsBetween(before, after) < (idleCores * lookMs) / 1000) return;
    before = after;
  }
}
