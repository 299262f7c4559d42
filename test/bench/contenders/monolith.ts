import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ready } from '../monolith/main.js';

export const profiles = fileURLToPath(new URL('../../../bench/profiles/', import.meta.url));

export interface MonolithOptions {
  workers: number;
  databaseUrl: string;
  /** Where it publishes events. Without it, it calls webhooks itself. */
  stream?: { url: string; /** Of a program that may publish events. */ seedFile: string };
  /** Length of the first pause between two attempts of a delivery. */
  retryMs?: number;
  /** The file for its log. */
  home: string;
  /** Whether to write a CPU profile at the exit. */
  profiled: boolean;
}

/** The processes of the monolith, as seen by the benchmark. */
export class RunningMonolith {
  readonly port: number;
  readonly pids: number[];
  readonly workers: number;
  readonly isStreamless: boolean;
  readonly #child: ChildProcess;
  readonly #log: string;

  private constructor(
    child: ChildProcess,
    { port, pids }: Ready,
    { workers, stream }: MonolithOptions,
    log: string,
  ) {
    this.#child = child;
    this.workers = workers;
    this.isStreamless = stream === undefined;
    this.port = port;
    this.pids = pids;
    this.#log = log;
  }

  static async start(options: MonolithOptions) {
    const { workers, databaseUrl, stream, retryMs, home, profiled } = options;
    const log = join(home, `monolith${stream ? '' : '-streamless'}-${workers}.log`);
    // In append mode, so that the file can be truncated while it is written.
    const descriptor = openSync(log, 'a');
    const child = fork(fileURLToPath(new URL('../monolith/main.js', import.meta.url)), [], {
      execArgv: profiled ? ['--cpu-prof', '--cpu-prof-dir', profiles] : [],
      stdio: ['ignore', descriptor, descriptor, 'ipc'],
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        NATS_URL: stream?.url,
        NATS_NKEY_SEED_FILE: stream?.seedFile,
        ...(retryMs !== undefined && { RETRY_MS: String(retryMs) }),
        WORKERS: String(workers),
      },
    });
    const exited = once(child, 'exit').then(() => Promise.reject(new Error(`see ${log}`)));
    const [ready] = (await Promise.race([once(child, 'message'), exited])) as [Ready];
    exited.catch(() => undefined);
    return new RunningMonolith(child, ready, options, log);
  }

  /** The log grows by megabytes per second. */
  emptyLog(): void {
    truncateSync(this.#log);
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
