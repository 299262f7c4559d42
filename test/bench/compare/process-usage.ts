import { readFileSync } from 'node:fs';
import { statOf } from '../../system/processes.js';

/** Processor seconds by process, as Linux counts them; empty elsewhere. */
export type ProcessorTimes = Map<number, number>;

const ticksPerSecond = 100;

export function processorTimes(pids: readonly number[]): ProcessorTimes {
  const times: ProcessorTimes = new Map();
  for (const pid of pids) {
    const fields = statOf(pid);
    // User and system time are the 14th and 15th of all fields; these begin with the third.
    if (fields) times.set(pid, (Number(fields[11]) + Number(fields[12])) / ticksPerSecond);
  }
  return times;
}

/** What processes took between two looks. One that is new since then counts whole. */
export function secondsBetween(before: ProcessorTimes, after: ProcessorTimes): number {
  let sum = 0;
  for (const [pid, seconds] of after) sum += seconds - (before.get(pid) ?? 0);
  return sum;
}

/** Memory that is a process' own and in use, in MiB. What PostgreSQL's processes share is in none of them. */
export function privateMib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Resident memory of a process in MiB, the program's own pages included. */
export function residentMib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Processor seconds that the whole machine has spent so far, and those that its hypervisor gave to others meanwhile. */
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
