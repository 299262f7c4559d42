import { setTimeout as delay } from 'node:timers/promises';
import { provideContacts } from '../compare/provide-contacts.js';
import { settle } from '../compare/settle.js';
import type { DataSet } from '../data/data-set.js';
import { jobs } from '../jobs/jobs.js';
import type { Generator } from '../load/generator.js';
import type { Shape } from '../load/load.js';
import type { Outcome } from '../load/tally.js';
import type { System } from './system.js';

export interface Figures extends Outcome {
  /** CPU microseconds by component per request, with all that follows the response, and their `sum`. */
  cpuMicros: Record<string, number>;
}

/** A measurement of each of two systems, with the same requests. */
export type Round = [former: Figures, own: Figures];
/** Published events are marked 100 ms later. */
const deferredMs = 250;
/** More than the requests per second of any contender. */
const perSecondMax = 20_000;

/** The two systems, which are measured one after the other. */
export class Pair {
  readonly names: [string, string];
  readonly #systems: readonly [System, System];
  readonly #generator: Generator;
  readonly #dataSet: DataSet;
  readonly #signal: AbortSignal;
  /** Determines the requests, and the order, which alternates. */
  #round = 0;

  constructor(
    systems: readonly [System, System],
    generator: Generator,
    dataSet: DataSet,
    signal: AbortSignal,
  ) {
    this.names = [systems[0].contender.name, systems[1].contender.name];
    this.#systems = systems;
    this.#generator = generator;
    this.#dataSet = dataSet;
    this.#signal = signal;
  }

  async measure(job: string, shape: Shape, seconds: number): Promise<Round> {
    const [former, own] = this.#systems;
    this.#round += 1;
    if (this.#round % 2 === 1) {
      const first = await this.#one(former, job, shape, seconds);
      return [first, await this.#one(own, job, shape, seconds)];
    }
    const first = await this.#one(own, job, shape, seconds);
    return [await this.#one(former, job, shape, seconds), first];
  }

  async #one(system: System, job: string, shape: Shape, seconds: number): Promise<Figures> {
    this.#signal.throwIfAborted();
    const { contender } = system;
    const seed = this.#round;
    const requestsMax = Math.ceil(perSecondMax * seconds);
    const sequence = 1_000_000 + seed * perSecondMax * 10;
    if (jobs[job]!.consumes)
      await provideContacts(contender.databaseUrl, this.#dataSet, sequence, requestsMax);
    await settle(this.#systems.map((one) => one.contender));
    const before = system.processorSeconds();
    const outcome = await this.#generator.run(
      {
        ...{ job, shape, seed, sequence, seconds, warmSeconds: 0 },
        dataSet: this.#dataSet,
        ports: [contender.port],
      },
      () => {},
    );
    await delay(deferredMs);
    await settle([contender]);
    const after = system.processorSeconds();
    const micros = (part: string) =>
      Math.max(0, ((after[part]! - before[part]!) * 1e6) / Math.max(1, outcome.made));
    const parts = Object.keys(after).map((part) => [part, micros(part)] as const);
    const sum = parts.reduce((total, [, spent]) => total + spent, 0);
    return { ...outcome, cpuMicros: { ...Object.fromEntries(parts), sum } };
  }
}
