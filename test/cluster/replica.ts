import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { eventually, requireClosed } from '@roster/testing';
import { problemLines } from '../system/problem-lines.js';
import { readyTimeoutSeconds } from '../system/running-roster.js';
import { isReady } from './balancer.js';
import type { ProcessName, Release } from './release.js';

export interface ReplicaOptions {
  name: ProcessName;
  /** `contacts-1`. */
  id: string;
  adminPort: number;
  /** The file that its output is appended to. */
  logFile: string;
}

/** What a release runs with. */
export interface Launch {
  release: Release;
  env: NodeJS.ProcessEnv;
}

const stopTimeoutMs = 30_000;

/** One process of Roster among others of its kind. */
export class Replica {
  readonly name: ProcessName;
  readonly id: string;
  readonly adminPort: number;
  readonly #logFile: string;
  #child: ChildProcess | undefined;

  constructor({ name, id, adminPort, logFile }: ReplicaOptions) {
    this.name = name;
    this.id = id;
    this.adminPort = adminPort;
    this.#logFile = logFile;
  }

  /** Undefined while it is stopped. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Resolves when it is ready.
   *
   * @throws Error if its configuration is not closed
   */
  async start({ release, env }: Launch): Promise<void> {
    await requireClosed(this.name, env);
    const log = openSync(this.#logFile, 'a');
    // The IPC channel lets it exit when this process exits or is killed.
    const child = spawn(process.execPath, [...release.nodeFlags, release.scriptOf(this.name)], {
      env: { ...env, MALLOC_ARENA_MAX: '1', ADMIN_PORT: String(this.adminPort) },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#child = child;
    let ended = false;
    child.once('exit', () => (ended = true));
    await eventually(
      async () => {
        if (ended) return true;
        return isReady(this.adminPort);
      },
      { timeoutMs: readyTimeoutSeconds * 1000, describe: `${this.id} to be ready` },
    );
    if (ended) throw new Error(`${this.id} ended at its start:\n${this.lastLines()}`);
  }

  /** Sends SIGTERM and waits for the exit. */
  async stop(): Promise<void> {
    const exit = await this.#end('SIGTERM');
    if (exit !== 0)
      throw new Error(`${this.id} ended with ${exit} on SIGTERM:\n${this.lastLines()}`);
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** The lines of its output that report problems. */
  lastLines(): string {
    return problemLines(this.#logFile);
  }

  async #end(signal: NodeJS.Signals): Promise<number | string> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return 0;
    const exited = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(late);
    return child.exitCode ?? child.signalCode ?? 0;
  }
}
