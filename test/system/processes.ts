import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a running system consists of, beside the process that keeps it running. */
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

/** The process that keeps the system on this home running. */
export function keeperOf(home: string): number {
  return (JSON.parse(readFileSync(join(home, 'lock'), 'utf8')) as { pid: number }).pid;
}

/** Every process of a part, the one to signal first; PostgreSQL has many. Empty while it does not run. Linux only. */
export function processesOf(home: string, part: PartName): number[] {
  if (part === 'nats') return running([pidIn(join(home, 'nats', 'nats.pid'))]);
  if (part === 'postgres') {
    const postmaster = running([pidIn(join(home, 'postgres', 'cluster', 'postmaster.pid'))]);
    return postmaster.flatMap((pid) => [pid, ...childrenOf(pid)]);
  }
  const script = part === 'gateway' ? '/gateway/dist/main.js' : `/services/${part}/dist/main.js`;
  return childrenOf(keeperOf(home)).filter((pid) => commandOf(pid).includes(script));
}

function pidIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

const running = (pids: number[]): number[] =>
  pids.filter((pid) => pid > 0 && statOf(pid) !== undefined);

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)?.[1] === String(parent));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** State, parent and what follows them; undefined when there is no such process, or only its remains. */
export function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before them is in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields;
  } catch {
    return undefined;
  }
}
