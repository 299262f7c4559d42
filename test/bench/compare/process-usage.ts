import { readFileSync } from 'node:fs';
import { processStat } from '@roster/testing';

/** CPU seconds by process, from /proc; empty on other systems. */
export type ProcessorTimes = Map<number, number>;

const ticksPerSecond = 100;

export function processorTimes(pids: readonly number[]): ProcessorTimes {
  const times: ProcessorTimes = new Map();
  for (const pid of pids) {
    const stat = processStat(pid);
    if (stat) times.set(pid, stat.processorSeconds);
  }
  return times;
}

/** CPU time between two samples. A process that is new counts completely. */
export function secondsBetween(before: ProcessorTimes, after: ProcessorTimes): number {
  let sum = 0;
  for (const [pid, seconds] of after) sum += seconds - (before.get(pid) ?? 0);
  return sum;
}

/** Unshared resident memory of a process, in MiB: shared memory of PostgreSQL is excluded. */
export const privateMib = (pid: number): number => mibOf(pid, 'RssAnon');

/** Resident memory of a process in MiB, including the pages of its program. */
export const residentMib = (pid: number): number => mibOf(pid, 'VmRSS');

function mibOf(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** CPU seconds used by the whole machine, and those that its hypervisor gave to others. */
export function machineSeconds(): { spent: number; stolen: number } {
  try {
    const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
      .split('\n')[0]!
      .split(/\s+/)
      .slice(1)
      .map(Number);
    return {
      spent: (user! + nice! + system! + irq! + softirq!) / ticksPerSecond,
      stolen: (steal ?? 0) / ticksPerSecond,
    };
  } catch {
    return { spent: 0, stolen: 0 };
  }
}
