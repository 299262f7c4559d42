import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contenders/contender.js';
import { processorTimes, secondsBetween } from './process-usage.js';

const lookMs = 150;
/** Processes count their time in hundredths of a second: two of them may fall into any look. */
const idleCores = 0.15;
const settleMsMax = 20_000;

/** Waits until a contender and what is behind it have finished what they were left with: requests of
 * clients that are gone, events, deliveries, vacuuming. */
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
