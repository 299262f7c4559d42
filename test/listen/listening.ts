import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually, inheritedEnv } from '@roster/testing';

const bin = fileURLToPath(new URL('../../../libs/cli/dist/bin.js', import.meta.url));

/** A line of stdout: what became of an event. */
export interface Forwarded {
  id: string;
  kind: string;
  status?: number;
  error?: string;
  attempt: number;
}

/** An account that uses the command line, with configuration and state of its own. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'roster-listen-'));
  readonly env: NodeJS.ProcessEnv;

  constructor({ baseUrl, apiKey }: { baseUrl: string; apiKey?: string }) {
    this.env = {
      ...{ ...inheritedEnv, HOME: this.folder },
      ...{ XDG_CONFIG_HOME: this.folder, XDG_STATE_HOME: this.folder },
      ROSTER_URL: baseUrl,
      ...(apiKey !== undefined && { ROSTER_API_KEY: apiKey }),
    };
  }

  start(...args: string[]): RunningCommand {
    return new RunningCommand(args, this.env);
  }

  /** Runs a command to its end. */
  async run(...args: string[]) {
    const command = this.start(...args);
    const code = await command.exited;
    return { code, stdout: command.stdout, stderr: command.stderr };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class RunningCommand {
  readonly #child;
  /** The exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly lines: string[] = [];
  stderr = '';

  constructor(args: string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [bin, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.lines.push(line));
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get stdout(): string {
    return this.lines.join('\n');
  }

  get forwarded(): Forwarded[] {
    return this.lines.map((line) => JSON.parse(line) as Forwarded);
  }

  get secret(): string {
    return /whsec_\S+/.exec(this.stderr)![0];
  }

  get isReady(): boolean {
    return /^ready: /m.test(this.stderr);
  }

  async ready(): Promise<this> {
    await eventually(() => this.isReady, { timeoutMs: 60_000, describe: `ready: ${this.stderr}` });
    return this;
  }

  /** Whether stderr matches. */
  said(text: RegExp): Promise<unknown> {
    return eventually(() => text.test(this.stderr), { timeoutMs: 60_000, describe: String(text) });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async end(name: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.#child.exitCode === null) this.signal(name);
    return this.exited;
  }
}
