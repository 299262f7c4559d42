import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Required on machines where these limits cannot be raised. Not lower than the defaults of processes. */
const limits = ['--ulimit', 'nofile=1024:4096', '--ulimit', 'nproc=4096:4096'];

/** podman may wait forever for a stale lock. */
const commandMs = 300_000;

/** podman with separate storage: images and containers of the machine are not touched. */
export class Podman {
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  /** For `build` and `run` alike. crun, where it is the default, does not run on every machine that has runc. */
  readonly runtime = [...(existsSync('/usr/sbin/runc') ? ['--runtime', 'runc'] : []), ...limits];

  private constructor(directory: string) {
    this.#directory = directory;
    this.#env = { ...process.env, CONTAINERS_STORAGE_CONF: join(directory, 'storage.conf') };
  }

  static async open(directory: string): Promise<Podman> {
    const podman = new Podman(directory);
    await writeFile(
      podman.#env.CONTAINERS_STORAGE_CONF!,
      `[storage]\ndriver = "overlay"\ngraphroot = "${directory}/graph"\nrunroot = "${directory}/run"\n`,
    );
    return podman;
  }

  /** The environment in which podman is this one, for others that run it. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  /** Runs to its end, and resolves with what it printed. */
  async do(...args: string[]): Promise<string> {
    const { stdout } = await execute('podman', args, {
      env: this.#env,
      maxBuffer: 1e8,
      timeout: commandMs,
    });
    return stdout.trim();
  }

  /** What is in an image, by path; directories with a slash at their end. */
  async filesOf(image: string): Promise<string[]> {
    const printed = await this.do(
      ...['run', '--rm', ...this.runtime, '--network', 'none', '--user', '0'],
      ...['--entrypoint', 'find', image, '/', '-xdev'],
      ...['-type', 'd', '-printf', '%P/\\n', '-o', '-printf', '%P\\n'],
    );
    return printed.split('\n');
  }

  /** Starts, with what it prints to be read. */
  start(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
    return spawn('podman', args, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Never fails: without podman there is nothing to remove. */
  async discard(): Promise<void> {
    for (const all of [
      ['pod', 'rm', '--all', '--force'],
      ['rm', '--all', '--force', '--time', '0'],
      ['rmi', '--all', '--force'],
    ])
      await this.do(...all).catch(() => '');
    await rm(this.#directory, { recursive: true, force: true });
  }
}
