import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Required on machines that do not permit higher limits. At least the defaults of processes. */
const limits = ['--ulimit', 'nofile=1024:4096', '--ulimit', 'nproc=4096:4096'];

/** podman may wait forever for a stale lock. */
const commandMs = 300_000;

/** podman with separate storage: images and containers of this machine are not changed. */
export class Podman {
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  /** For `build` and `run`. crun, the default on some machines, does not run on every machine that has runc. */
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

  /** The environment variables that make other programs use this podman. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  /** Runs podman, and resolves with its output. */
  async do(...args: string[]): Promise<string> {
    const { stdout } = await execute('podman', args, {
      env: this.#env,
      maxBuffer: 1e8,
      timeout: commandMs,
    });
    return stdout.trim();
  }

  /** The contents of an image, by path; directories end in a slash. */
  async filesOf(image: string): Promise<string[]> {
    const printed = await this.do(
      ...['run', '--rm', ...this.runtime, '--network', 'none', '--user', '0'],
      ...['--entrypoint', 'find', image, '/', '-xdev'],
      ...['-type', 'd', '-printf', '%P/\\n', '-o', '-printf', '%P\\n'],
    );
    return printed.split('\n');
  }

  /** Starts podman, with its output readable. */
  start(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
    return spawn('podman', args, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Never fails: without podman there are no containers to remove. */
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
