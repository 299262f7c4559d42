import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A mount namespace. What is mounted in it is unmounted when the namespace is closed or this process exits, even if it is killed:
 * the only process in the namespace ends with its standard input. Linux only; requires root.
 */
export class MountNamespace {
  readonly #holder: ChildProcessWithoutNullStreams;

  private constructor(holder: ChildProcessWithoutNullStreams) {
    this.#holder = holder;
  }

  /** @throws if this process may not create one */
  static async open(): Promise<MountNamespace> {
    const holder = spawn('unshare', ['--mount', 'cat']);
    let problem = '';
    holder.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()));
    holder.stdin.on('error', () => undefined);
    const ended = once(holder, 'close').then(() => Promise.reject(new Error(problem)));
    // Returned by `cat`: the namespace exists by then.
    holder.stdin.write('\n');
    await Promise.race([once(holder.stdout, 'data'), ended]);
    ended.catch(() => undefined);
    return new MountNamespace(holder);
  }

  /** The path by which processes of other namespaces find a path of this one. */
  pathTo(path: string): string {
    return `/proc/${this.#holder.pid}/root${path}`;
  }

  /** Runs `mount` in the namespace. @throws if it fails */
  async mount(...args: string[]): Promise<void> {
    await run('nsenter', [`--mount=/proc/${this.#holder.pid}/ns/mnt`, 'mount', ...args]);
  }

  async close(): Promise<void> {
    const closed = once(this.#holder, 'close');
    this.#holder.stdin.end();
    await closed;
  }
}
