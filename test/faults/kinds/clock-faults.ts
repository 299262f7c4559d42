import { partNames, processesOf, type PartName } from '../../system/processes.js';
import type { Fault } from '../random-faults.js';
import { setClock, whyClockIsFixed } from './process-clock.js';

const hourSeconds = 3600;

/** The clock of one process or server alone is an hour ahead or behind, and then correct again: each is a step forward and one back. */
export function clockFaults(home: string, print: (line: string) => void): Fault[] {
  const changeable = partNames.filter((part) => {
    const why = whyClockIsFixed(processesOf(home, part)[0]!);
    if (why !== undefined) print(`The clock of ${part} is not changed: ${why}`);
    return why === undefined;
  });
  return changeable.flatMap((part) =>
    [hourSeconds, -hourSeconds].map((seconds) => ({
      name: `clock of ${part}: ${seconds > 0 ? '+' : '-'}1 h`,
      async inflict(wait: () => Promise<void>) {
        if (!(await setClockOf(home, part, seconds))) return false;
        await wait();
        await setClockOf(home, part, 0);
        return true;
      },
    })),
  );
}

/**
 * What the database has scheduled by a clock an hour ahead is due an hour after that clock was corrected. A run does not wait
 * for it, but sets the clock ahead again.
 */
export const passAnHour = (home: string): Promise<boolean> =>
  setClockOf(home, 'postgres', hourSeconds);

/** The webhooks of the run seem to be three hours younger than they are. The clock of their service may step again later. */
export const createWebhooksAhead = (home: string): Promise<boolean> =>
  setClockOf(home, 'webhooks', 3 * hourSeconds);

/** Does nothing where it is not possible, which `clockFaults` says. */
async function setClockOf(home: string, part: PartName, seconds: number): Promise<boolean> {
  const pids = () => processesOf(home, part);
  return pids().every((pid) => whyClockIsFixed(pid) === undefined) && setClock(pids, seconds);
}
