import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { requireClosed } from '@roster/testing';
import type { ExecutionContext } from 'ava';

import type { Podman } from './podman.js';

/** Podman options for a read-only file system, no capabilities and an unprivileged user, as the manifests run the image. */
export const confined = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--user', '65532'],
  ...['--security-opt', 'no-new-privileges'],
];

/** Containers of one image in one pod, which uses the network of the host, where PostgreSQL and NATS listen. */
export class Pod {
  readonly #podman: Podman;
  readonly #image: string;
  readonly #name = `roster-test-${process.pid}`;

  private constructor(podman: Podman, image: string) {
    this.#podman = podman;
    this.#image = image;
  }

  /** Created without an infra container, because its image cannot be pulled without a container registry. Removed after the test. */
  static async create(t: ExecutionContext, podman: Podman, image: string): Promise<Pod> {
    const pod = new Pod(podman, image);
    await podman.do('pod', 'create', '--infra=false', '--name', pod.#name);
    t.teardown(() => podman.do('pod', 'rm', '--force', pod.#name));
    return pod;
  }

  /**
   * Starts a process of the image, and resolves when the process is ready.
   *
   * @throws Error if its configuration is not closed
   */
  async start(t: ExecutionContext, name: string, env: NodeJS.ProcessEnv) {
    await requireClosed(name, env);
    const child = this.#podman.start(
      ...['run', '--rm', '--pod', this.#name, '--name', this.#container(name)],
      ...['--network', 'host', ...this.#podman.runtime],
      // Ends the container even if the test is killed.
      ...['--timeout', '300', ...confined],
      ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...[this.#image, name],
    );
    const exited = once(child, 'exit').then(([code]) => code as number | null);
    const printed: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    const lines = createInterface(child.stdout).on('line', (line) => printed.push(line));
    const ready = new Promise<{ port?: number; adminPort: number }>((resolve) => {
      lines.on('line', (line) => {
        const entry = JSON.parse(line) as { msg: string; port?: number; adminPort: number };
        if (entry.msg === 'ready') resolve(entry);
      });
    });
    const ended = exited.then((code): never => {
      throw new Error(`${name} exited with code ${code}:\n${printed.join('\n')}`);
    });
    ended.catch(() => {});
    t.teardown(() => child.kill('SIGKILL'));
    return { name, exited, ...(await Promise.race([ready, ended])) };
  }

  /** Runs a command in the container of a process, also with other variables, and resolves with its output. */
  exec(name: string, command: string[], env: Record<string, string> = {}): Promise<string> {
    const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    return this.#podman.do('exec', ...variables, this.#container(name), ...command);
  }

  /** Sends SIGTERM. After 20 seconds podman kills the containers, which then exit with code 137. */
  async stop(names: readonly string[]): Promise<void> {
    await this.#podman.do('stop', '--time', '20', ...names.map((name) => this.#container(name)));
  }

  #container(name: string): string {
    return `${this.#name}-${name}`;
  }
}
