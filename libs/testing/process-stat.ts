import { readFileSync } from 'node:fs';

export interface ProcessStat {
  /** A letter of proc(5): `T` is stopped, `Z` has exited and its parent has not waited for it. */
  state: string;
  parentPid: number;
  /** User and system time, including that of children that have exited. */
  processorSeconds: number;
  endedChildrenSeconds: number;
}

const ticksPerSecond = 100;

/**
 * The statistics of a process or of one of its threads, from /proc; undefined if there is no such process, or no
 * /proc.
 */
export function processStat(pid: number, threadId?: string): ProcessStat | undefined {
  let stat: string;
  try {
    const thread = threadId === undefined ? '' : `/task/${threadId}`;
    stat = readFileSync(`/proc/${pid}${thread}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name before the state is in brackets, and may contain any character.
  const [state = '', parentPid, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 14 to 17.
  const [user, system, childrenUser, childrenSystem] = rest.slice(9, 13).map(Number);
  return {
    state,
    parentPid: Number(parentPid),
    processorSeconds: (user! + system!) / ticksPerSecond,
    endedChildrenSeconds: (childrenUser! + childrenSystem!) / ticksPerSecond,
  };
}
