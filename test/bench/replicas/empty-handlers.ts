import type { ChildProcess } from 'node:child_process';
import { startEmptyKoa, stopChild } from '../compare/limits.js';
import type { Contender } from '../contenders/contender.js';

/** Koa processes with an empty handler. */
export class EmptyHandlers {
  readonly #running: { child: ChildProcess; port: number }[] = [];

  async keep(count: number): Promise<void> {
    while (this.#running.length > count) await stopChild(this.#running.pop()!.child);
    while (this.#running.length < count) this.#running.push(await startEmptyKoa());
  }

  contender(): Contender {
    const ports = this.#running.map(({ port }) => port);
    const pids = this.#running.map(({ child }) => child.pid!);
    return {
      name: 'empty koa',
      port: ports[0]!,
      ports,
      databaseUrl: '',
      processes: () => ({ koa: pids }),
    };
  }
}
