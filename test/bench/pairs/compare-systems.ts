import type { Contender } from '../contenders/contender.js';
import { dataSetOf, type DataSet } from '../data/data-set.js';
import { Generator } from '../load/generator.js';
import type { Shape } from '../load/load.js';
import { Receiver } from '../receiver.js';
import { Pair } from './pair.js';
import { report, type PairLoad, type SystemComparison } from './report.js';
import { System, type SystemOptions } from './system.js';

export interface CompareSystemsOptions {
  systems: readonly [former: SystemOptions, own: SystemOptions];
  jobs: readonly string[];
  contacts: number;
  /** Maximum ratio of the CPU time of a job with 64 clients, if there is one. */
  expected: (job: string) => number | undefined;
  /** What each system does before a job is measured. */
  prepare?: (system: Contender, job: string, dataSet: DataSet) => Promise<void>;
  print: (line: string) => void;
  signal: AbortSignal;
}

/** Rounds and seconds of each measurement. */
const plan: Record<PairLoad, { rounds: number; seconds: number }> = {
  clients64: { rounds: 6, seconds: 2 },
  half: { rounds: 3, seconds: 1.5 },
  client1: { rounds: 3, seconds: 0.5 },
};
const warmUpSeconds = { all: 2, job: 1.5 };

/** Measures two systems in turn, in one run, with the same requests. */
export async function compareSystems(options: CompareSystemsOptions): Promise<SystemComparison[]> {
  const { print, signal, expected } = options;
  const dataSet = dataSetOf(options.contacts);
  const receiver = new Receiver();
  const generator = new Generator();
  const systems: System[] = [];
  try {
    const [webhookUrl] = await receiver.listen(['accept']);
    for (const system of options.systems) {
      signal.throwIfAborted();
      systems.push(await System.start(system, dataSet, webhookUrl!));
    }
    const pair = new Pair(systems as [System, System], generator, dataSet, signal);
    await pair.measure('mixed', { clients: 64 }, warmUpSeconds.all);
    const results: SystemComparison[] = [];
    for (const job of options.jobs) {
      for (const { contender } of systems) await options.prepare?.(contender, job, dataSet);
      const result = { ...(await compareJob(job, pair)), expected: expected(job) };
      print(report(result));
      results.push(result);
    }
    return results;
  } finally {
    await Promise.allSettled([
      ...systems.map((system) => system.discard()),
      receiver.stop(),
      generator.stop(),
    ]);
  }
}

async function compareJob(job: string, pair: Pair): Promise<Omit<SystemComparison, 'expected'>> {
  const [{ perSecond }] = await pair.measure(job, { clients: 64 }, warmUpSeconds.job);
  const halfLoad = Math.floor(perSecond / 2);
  const shapes: Record<PairLoad, Shape> = {
    clients64: { clients: 64 },
    half: { perSecond: halfLoad, connectionsMax: 512, whenTaken: 'wait' },
    client1: { clients: 1 },
  };
  const rounds: SystemComparison['rounds'] = { clients64: [], half: [], client1: [] };
  for (let round = 0; round < plan.clients64.rounds; round += 1)
    for (const load of Object.keys(plan) as PairLoad[])
      if (round < plan[load].rounds)
        rounds[load].push(await pair.measure(job, shapes[load], plan[load].seconds));
  return { job, names: pair.names, halfLoad, rounds };
}
