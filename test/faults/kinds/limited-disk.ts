import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@roster/testing';

const run = promisify(execFile);
const sizeBytes = 4 * 2 ** 30;

/** A file system in memory that can be made full at any time. */
export class LimitedDisk {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws if this process may not mount a file system */
  static async mount(path: string): Promise<LimitedDisk> {
    await mkdir(path);
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', path]);
    return new LimitedDisk(path);
  }

  /** From now on no file grows: the size becomes that of the files. */
  async fill(): Promise<void> {
    await eventually(
      async () => {
        const { blocks, bfree, bsize } = await statfs(this.#path);
        // Refused if a file has grown meanwhile.
        await this.#resize((blocks - bfree) * bsize);
        return true;
      },
      { describe: `a full disk at ${this.#path}` },
    );
  }

  async free(): Promise<void> {
    await this.#resize(sizeBytes);
  }

  async unmount(): Promise<void> {
    // A process that was killed may still be closing its files.
    await run('umount', ['--lazy', this.#path]);
  }

  async #resize(bytes: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${bytes}`, this.#path]);
  }
}

export interface LimitedHome {
  /** For `startRoster`. The data of the servers is on the disks. */
  home: string;
  disks: Record<'postgres' | 'nats', LimitedDisk>;
}

/** Runs with a new home, whose disks are removed afterwards. */
export async function withLimitedDisks<Result>(
  use: (home: LimitedHome) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'roster-disks-'));
  const home = join(directory, 'home');
  await mkdir(home);
  const mounted: LimitedDisk[] = [];
  const mountFor = async (server: string) => {
    const path = join(directory, server);
    const disk = await LimitedDisk.mount(path);
    mounted.push(disk);
    // The home is removed before the file system is unmounted.
    await symlink(path, join(home, server));
    return disk;
  };
  try {
    return await use({
      home,
      disks: { postgres: await mountFor('postgres'), nats: await mountFor('nats') },
    });
  } finally {
    for (const disk of mounted) await disk.unmount();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The reason why no file system can be mounted; undefined if one can. */
export async function whyNoDisks(): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'roster-disks-'));
  try {
    await (await LimitedDisk.mount(join(directory, 'tried'))).unmount();
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
