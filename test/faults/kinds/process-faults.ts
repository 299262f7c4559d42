import { processesOf } from '../../system/processes.js';
import type { Fault } from '../random-faults.js';

const parts = ['dispatcher', 'webhooks', 'contacts', 'nats', 'postgres'] as const;

/** Processes are killed, and started again by the supervisor, or stopped and continued. */
export const processFaults = (home: string): Fault[] =>
  parts.flatMap((part) => [
    {
      name: `kill ${part}`,
      async inflict(wait) {
        // None is running if an earlier fault ended it and it has not started again.
        const [pid] = processesOf(home, part);
        if (pid === undefined || !signal(pid, 'SIGKILL')) return false;
        await wait();
        return true;
      },
    },
    {
      name: `pause ${part}`,
      async inflict(wait) {
        const pids = processesOf(home, part);
        for (const pid of pids) signal(pid, 'SIGSTOP');
        await wait();
        for (const pid of pids) signal(pid, 'SIGCONT');
        return pids.length > 0;
      },
    },
  ]);

/** Whether there was such a process. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
