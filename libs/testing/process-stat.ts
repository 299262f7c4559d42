import { readFileSync } from 'node:fs';

export interface ProcessStat {
  /** A letter of proc(5): `T` is stopped, `Z` has ended and nobody asked how. */
  state: string;
  parentPid: number;
  /** User and system time, and that of children that have ended. */
  processorSeconds: number;
  endedChildrenSeconds: number;
}

const ticksPerSecond = 100;

/** What Linux says of a process, or of one of its threads; undefined where there is no such process, or no /proc. */
export function processStat(pid: number, threadId?: string): ProcessStat | undefined {
  let stat: string;
  try {
    const thread = threadId === undefined ? '' : `/task/${threadId}`;
    stat = readFileSync(`/proc/${pid}${thread}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name before the state is in brackets, and may hold anything.
  const [state = '', parentPid, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The 14th to 17th of all fields.
  const [user, system, childrenUser, childrenSystem] = rest.slice(9, 13).map(Number);
  return {
    state,
    parentPid: Number(parentPid),
    processorSeconds: (user! + system!) / ticksPerSecond,
    endedChildrenSeconds: (childrenUser! + childrenSystem!) / ticksPerSecond,
  };
}
