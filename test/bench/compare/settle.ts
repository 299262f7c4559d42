import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contenders/contender.js';
import { processorTimes, secondsBetween } from './process-usage.js';

const lookMs = 150;
const idleCores = 0.1;
const settleMsMax = 20_000;

/** Waits until a contender and what is behind it have finished what they were left with: events, deliveries, vacuuming. */
export async function settle(contenders: readonly Contender[]): Promise<void> {
  const pids = () => contenders.flatMap((contender) => Object.values(contender.processes()).flat());
  const deadline = performance.now() + settleMsMax;
  let before = processorTimes([...new Set(pids())]);
  while (performance.now() < deadline) {
    await delay(lookMs);
    const after = processorTimes([...new Set(pids())]);
    if (secondsBetween(before, after) < (idleCores * lookMs) / 1000) return;
    before = after;
  }
}
