import { mkdir, mkdtemp, rm, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@roster/testing';
import { MountNamespace } from './mount-namespace.js';

const sizeBytes = 4 * 2 ** 30;

/** A file system in memory that can be made full at any time. It exists as long as its namespace. */
export class LimitedDisk {
  readonly #namespace: MountNamespace;
  readonly #mountPoint: string;

  private constructor(namespace: MountNamespace, mountPoint: string) {
    this.#namespace = namespace;
    this.#mountPoint = mountPoint;
  }

  /** @param mountPoint an existing directory */
  static async mount(namespace: MountNamespace, mountPoint: string): Promise<LimitedDisk> {
    await namespace.mount('-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', mountPoint);
    return new LimitedDisk(namespace, mountPoint);
  }

  /** Its path for every process. The mount point itself is empty outside of the namespace. */
  get path(): string {
    return this.#namespace.pathTo(this.#mountPoint);
  }

  /** From now on no file grows: the size becomes that of the files. */
  async fill(): Promise<void> {
    await eventually(
      async () => {
        const { blocks, bfree, bsize } = await statfs(this.path);
        // Refused if a file has grown meanwhile.
        await this.#resize((blocks - bfree) * bsize);
        return true;
      },
      { describe: `a full disk at ${this.path}` },
    );
  }

  async free(): Promise<void> {
    await this.#resize(sizeBytes);
  }

  async #resize(bytes: number): Promise<void> {
    await this.#namespace.mount('-o', `remount,size=${bytes}`, this.#mountPoint);
  }
}

export interface LimitedHome {
  /** For `startRoster`. The data of the servers is on the disks. */
  home: string;
  disks: Record<'postgres' | 'nats', LimitedDisk>;
}

/** Runs with a new home and disks, which are removed afterwards. If this process is killed, the disks are removed too. */
export async function withLimitedDisks<Result>(
  use: (home: LimitedHome) => Promise<Result>,
): Promise<Result> {
  const namespace = await MountNamespace.open();
  const home = await mkdtemp(join(tmpdir(), 'roster-disks-'));
  const mountFor = async (server: string) => {
    const mountPoint = join(home, `${server}-disk`);
    await mkdir(mountPoint);
    const disk = await LimitedDisk.mount(namespace, mountPoint);
    await symlink(disk.path, join(home, server));
    return disk;
  };
  try {
    return await use({
      home,
      disks: { postgres: await mountFor('postgres'), nats: await mountFor('nats') },
    });
  } finally {
    await namespace.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** The reason why no file system can be mounted; undefined if one can. */
export async function whyNoDisks(): Promise<string | undefined> {
  try {
    return await withLimitedDisks(() => Promise.resolve(undefined));
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1);
  }
}
