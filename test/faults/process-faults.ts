import { setTimeout as delay } from 'node:timers/promises';
import { processesOf, type PartName } from '../system/processes.js';
import type { Random } from './random.js';

const victims = ['dispatcher', 'webhooks', 'contacts', 'nats', 'postgres'] as const;
const ways = ['kill', 'pause'] as const;

export interface FaultOptions {
  random: Random;
  /** Pause between faults. */
  gapSeconds: readonly [number, number];
  pauseSeconds: readonly [number, number];
  say: (line: string) => void;
}

/** Kills and pauses parts in random order until it is stopped. */
export class ProcessFaults {
  readonly counts = new Map<string, number>();
  readonly #home: string;
  readonly #options: FaultOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(home: string, options: FaultOptions) {
    this.#home = home;
    this.#options = options;
    this.#running = this.#run();
  }

  /** Resumes paused processes. The supervisor restarts killed ones. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { random, gapSeconds, pauseSeconds, say } = this.#options;
    const startedAt = performance.now();
    const all = victims.flatMap((part) => ways.map((way) => ({ part, way })));
    while (!this.#stopping.signal.aborted) {
      for (const { part, way } of random.shuffled(all)) {
        await this.#wait(random.between(...gapSeconds));
        if (this.#stopping.signal.aborted) return;
        const seconds = random.between(...pauseSeconds);
        const done = way === 'kill' ? this.#kill(part) : await this.#pause(part, seconds);
        if (!done) continue;
        const name = `${way} ${part}`;
        this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
        const at = ((performance.now() - startedAt) / 1000).toFixed(0);
        say(`${at.padStart(5)} s  ${name}${way === 'pause' ? ` for ${seconds.toFixed(1)} s` : ''}`);
      }
    }
  }

  /** False if the process is not running because of an earlier fault. */
  #kill(part: PartName): boolean {
    const [pid] = processesOf(this.#home, part);
    return pid !== undefined && signal(pid, 'SIGKILL');
  }

  async #pause(part: PartName, seconds: number): Promise<boolean> {
    const pids = processesOf(this.#home, part);
    for (const pid of pids) signal(pid, 'SIGSTOP');
    await this.#wait(seconds);
    for (const pid of pids) signal(pid, 'SIGCONT');
    return pids.length > 0;
  }

  #wait(seconds: number): Promise<void> {
    return delay(seconds * 1000, undefined, { signal: this.#stopping.signal }).catch(
      () => undefined,
    );
  }
}

/** Whether there was such a process. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
