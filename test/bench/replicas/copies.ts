import { join } from 'node:path';
import { freePort } from '@roster/embedded';
import { thisRelease } from '../../cluster/release.js';
import { Replica } from '../../cluster/replica.js';
import { environmentOf, partNames, processesOf } from '../../system/processes.js';
import type { RunningRoster } from '../../system/running-roster.js';
import type { Contender } from '../contenders/contender.js';

interface Copy {
  gateway: Replica;
  port: number;
  contacts: Replica;
}

/** Gateways and contacts processes in addition to the two that the system was started with. */
export class Copies {
  readonly #roster: RunningRoster;
  readonly #home: string;
  readonly #running: Copy[] = [];

  constructor(roster: RunningRoster, home: string) {
    this.#roster = roster;
    this.#home = home;
  }

  /** Starts or stops processes until `count` additional ones of each kind are running. */
  async keep(count: number): Promise<void> {
    while (this.#running.length > count) {
      const { gateway, contacts } = this.#running.pop()!;
      await Promise.all([gateway.stop(), contacts.stop()]);
    }
    while (this.#running.length < count) await this.#add();
  }

  contender(): Contender {
    const { baseUrl, databaseUrl, home } = this.#roster;
    const port = Number(new URL(baseUrl).port);
    return {
      name: 'roster',
      port,
      ports: [port, ...this.#running.map((copy) => copy.port)],
      databaseUrl,
      processes: () => {
        const parts = partNames.map((part) => {
          const own = part === 'gateway' || part === 'contacts' ? this.#pidsOf(part) : [];
          return [part, [...processesOf(home, part), ...own]];
        });
        return Object.fromEntries(parts) as Record<string, number[]>;
      },
    };
  }

  #pidsOf(part: 'gateway' | 'contacts'): number[] {
    return this.#running.flatMap((copy) => copy[part].pid ?? []);
  }

  async #add(): Promise<void> {
    const { home } = this.#roster;
    const port = await freePort();
    const copyOf = async (name: 'gateway' | 'contacts') => {
      const logFile = join(this.#home, `${name}.log`);
      return new Replica({ name, id: name, adminPort: await freePort(), logFile });
    };
    const copy = { gateway: await copyOf('gateway'), port, contacts: await copyOf('contacts') };
    this.#running.push(copy);
    await Promise.all(
      (['gateway', 'contacts'] as const).map((name) => {
        const env = { ...environmentOf(home, name), PORT: String(port) };
        return copy[name].start({ release: thisRelease, env });
      }),
    );
  }
}
