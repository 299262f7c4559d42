import { buildCommit } from '../../former/build-commit.js';
import { processorTimeRatiosMax } from '../compare/expectations.js';
import { dataSetOf } from '../data/data-set.js';
import { Generator } from '../load/generator.js';
import type { Shape } from '../load/load.js';
import { Receiver } from '../receiver.js';
import { Pair } from './pair.js';
import { report, type CommitComparison, type CommitLoad } from './report.js';
import { System } from './system.js';

export interface CompareCommitOptions {
  /** The complete hash, and what the output calls it. */
  commit: { hash: string; name: string };
  jobs: readonly string[];
  contacts: number;
  print: (line: string) => void;
  signal: AbortSignal;
}

/** Rounds and seconds of each measurement. */
const plan: Record<CommitLoad, { rounds: number; seconds: number }> = {
  clients64: { rounds: 6, seconds: 2 },
  half: { rounds: 3, seconds: 1.5 },
  client1: { rounds: 3, seconds: 0.5 },
};
const warmUpSeconds = { all: 2, job: 1.5 };

/** Measures this tree and a former commit in turn, in one run, with the same requests. */
export async function compareCommit(options: CompareCommitOptions): Promise<CommitComparison[]> {
  const { commit, print, signal } = options;
  print(`Building ${commit.name}…`);
  const checkout = await buildCommit(commit.hash, signal);
  const dataSet = dataSetOf(options.contacts);
  const receiver = new Receiver();
  const generator = new Generator();
  const systems: System[] = [];
  try {
    const [webhookUrl] = await receiver.listen(['accept']);
    for (const build of [{ name: commit.name, checkout }, { name: 'this tree' }]) {
      signal.throwIfAborted();
      systems.push(await System.start(build, dataSet, webhookUrl!));
    }
    const pair = new Pair(systems as [System, System], generator, dataSet, signal);
    await pair.measure('mixed', { clients: 64 }, warmUpSeconds.all);
    const results: CommitComparison[] = [];
    for (const job of options.jobs) {
      const { commit: reference, jobs: ratiosMax } = processorTimeRatiosMax;
      const expected = commit.hash === reference ? ratiosMax[job] : undefined;
      const result = { ...(await compareJob(job, pair)), expected };
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

async function compareJob(job: string, pair: Pair): Promise<Omit<CommitComparison, 'expected'>> {
  const [{ perSecond }] = await pair.measure(job, { clients: 64 }, warmUpSeconds.job);
  const halfLoad = Math.floor(perSecond / 2);
  const shapes: Record<CommitLoad, Shape> = {
    clients64: { clients: 64 },
    half: { perSecond: halfLoad, connectionsMax: 512, whenTaken: 'wait' },
    client1: { clients: 1 },
  };
  const rounds: CommitComparison['rounds'] = { clients64: [], half: [], client1: [] };
  for (let round = 0; round < plan.clients64.rounds; round += 1)
    for (const load of Object.keys(plan) as CommitLoad[])
      if (round < plan[load].rounds)
        rounds[load].push(await pair.measure(job, shapes[load], plan[load].seconds));
  return { job, names: pair.names, halfLoad, rounds };
}
