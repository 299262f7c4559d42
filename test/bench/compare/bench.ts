import type { Contender } from '../contenders/contender.js';
import type { Contenders } from '../contenders/contenders.js';
import type { DataSet } from '../data/data-set.js';
import { jobs } from '../jobs/jobs.js';
import type { Generator } from '../load/generator.js';
import type { Shape } from '../load/load.js';
import { measure, type Measurement } from './measure.js';
import { provideContacts } from './provide-contacts.js';
import { settle } from './settle.js';

export interface Load {
  shape: Shape;
  warmSeconds: number;
  seconds: number;
  /** Determines the requests: contenders that are compared have the same seed. */
  seed: number;
}

/** The systems and the load generator of all measurements of a run. */
export class Bench {
  readonly contenders: Contenders;
  readonly dataSet: DataSet;
  readonly #generator: Generator;
  /** Numbers that must not repeat within a run, such as those of created contacts. */
  #sequence = 1_000_000;
  #fastest = 8000;

  constructor(contenders: Contenders, generator: Generator, dataSet: DataSet) {
    this.contenders = contenders;
    this.#generator = generator;
    this.dataSet = dataSet;
  }

  async measure(job: string, contender: Contender, load: Load): Promise<Measurement> {
    const { contenders, dataSet } = this;
    const { consumes, writes, countsDeliveries } = jobs[job]!;
    const { shape, warmSeconds, seconds } = load;
    const rate = 'perSecond' in shape ? shape.perSecond : this.#fastest * 1.6;
    const requests = Math.ceil(rate * (warmSeconds + seconds)) + 1000;
    const sequence = this.#sequence;
    if (consumes) await provideContacts(contender.databaseUrl, dataSet, sequence, requests);
    await settle(contenders.all);
    contenders.emptyLogs();
    const { receiver } = contenders;
    const measurement = await measure(
      this.#generator,
      contender,
      { job, dataSet, sequence, ...load },
      countsDeliveries ? () => receiver.accepted : undefined,
    );
    this.#sequence += Math.max(measurement.made, requests);
    if (writes) this.#fastest = Math.max(this.#fastest, measurement.perSecond);
    return measurement;
  }
}
