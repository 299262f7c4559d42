import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStat } from '@roster/testing';

/** The processes of a running system, besides its supervisor. */
export const partNames = [
  'gateway',
  'contacts',
  'users',
  'webhooks',
  'dispatcher',
  'nats',
  'postgres',
] as const;
export type PartName = (typeof partNames)[number];

/** The supervisor of the system in this home directory. */
export function supervisorOf(home: string): number {
  return (JSON.parse(readFileSync(join(home, 'lock'), 'utf8')) as { pid: number }).pid;
}

/**
 * Every process of a part; the first one is the one to signal, since PostgreSQL has many. Empty while it does not
 * run. Linux only.
 */
export function processesOf(home: string, part: PartName): number[] {
  if (part === 'nats') return running([pidIn(join(home, 'nats', 'nats.pid'))]);
  if (part === 'postgres') {
    const postmaster = running([pidIn(join(home, 'postgres', 'cluster', 'postmaster.pid'))]);
    return postmaster.flatMap((pid) => [pid, ...childrenOf(pid)]);
  }
  const bundle = `/dist/bundles/${part}.js`;
  return childrenOf(supervisorOf(home)).filter((pid) => commandOf(pid).includes(bundle));
}

/** The environment with which the first process of a part was started. */
export function environmentOf(home: string, part: PartName): Record<string, string> {
  const [first] = processesOf(home, part);
  const variables = readFileSync(`/proc/${first}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    variables.filter(Boolean).map((variable) => {
      const at = variable.indexOf('=');
      return [variable.slice(0, at), variable.slice(at + 1)];
    }),
  );
}

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

/** Whether the process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  const stat = processStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

const running = (pids: number[]): number[] => pids.filter((pid) => pid > 0 && isRunning(pid));

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && processStat(pid)?.parentPid === parent && isRunning(pid));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
