import { readFileSync } from 'node:fs';
import { partNames, processesOf, statOf } from '../system/processes.js';

/** Linux counts processor time in these. */
const ticksPerSecond = 100;

/** Measures, until it is asked, what processor time each process takes and what memory the dispatcher needs. */
export class Usage {
  readonly #pids: () => Map<string, number[]>;
  readonly #before: Map<string, number>;
  readonly #startedAt = performance.now();
  readonly #dispatcher: number;
  readonly #timer: NodeJS.Timeout;
  readonly #machineBefore = machineSeconds();
  #rssMibMax = 0;

  constructor(home: string, receiverPid: number) {
    // Asked anew each time: PostgreSQL's processes come and go.
    this.#pids = () =>
      new Map<string, number[]>(partNames.map((part) => [part, processesOf(home, part)]))
        .set('receiver', [receiverPid])
        .set('load', [process.pid]);
    this.#dispatcher = this.#pids().get('dispatcher')![0]!;
    this.#before = this.#seconds();
    this.#timer = setInterval(() => this.#look(), 200);
  }

  /** Cores that each part kept busy, and the most memory that the dispatcher had. */
  stop(): { cores: Record<string, number>; dispatcherMibMax: number } {
    clearInterval(this.#timer);
    this.#look();
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    const after = this.#seconds();
    const spent = [...after].map(([part, seconds]) => [part, seconds - this.#before.get(part)!]);
    const own = spent.reduce((sum, [, seconds]) => sum + Number(seconds), 0);
    // Whoever else uses this machine makes the figures worse than they are.
    spent.push(['others', machineSeconds() - this.#machineBefore - own]);
    const cores = spent.map(([part, seconds]) => [
      part,
      Math.round((Number(seconds) / elapsed) * 100) / 100,
    ]);
    return {
      cores: Object.fromEntries(cores) as Record<string, number>,
      dispatcherMibMax: Math.round(this.#rssMibMax),
    };
  }

  #seconds(): Map<string, number> {
    return new Map(
      [...this.#pids()].map(([part, pids]) => [
        part,
        // What PostgreSQL's ended processes took is their parent's.
        pids.reduce((sum, pid) => sum + processorSeconds(pid, part === 'postgres'), 0),
      ]),
    );
  }

  #look(): void {
    const status = readFileSync(`/proc/${this.#dispatcher}/status`, 'utf8');
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    this.#rssMibMax = Math.max(this.#rssMibMax, kib / 1024);
  }
}

function processorSeconds(pid: number, withEndedChildren: boolean): number {
  // User and system time are the 14th and 15th of all fields, those of ended children follow; these begin with the third.
  const fields = statOf(pid)?.slice(11, withEndedChildren ? 15 : 13) ?? [];
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

/** Processor time that all processes together have taken. */
function machineSeconds(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq!) / ticksPerSecond;
}
