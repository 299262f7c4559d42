import type { Contender } from '../contenders/contender.js';
import type { Contenders } from '../contenders/contenders.js';
import { jobs } from '../jobs/jobs.js';
import type { DataSet } from '../data/data-set.js';
import type { Generator } from '../load/generator.js';
import { medianOf } from '../load/latencies.js';
import type { Shape } from '../load/load.js';
import { compareAnswers } from './compare-answers.js';
import { expectations, judge, type Expectation, type Ratios } from './expectations.js';
import { measure, type Measurement } from './measure.js';
import type { Plan } from './plan.js';
import { provideContacts } from './provide-contacts.js';
import { settle } from './settle.js';

export type Load = keyof Plan['seconds'];

export interface JobResult {
  job: string;
  title: string;
  /** Requests per second of each contender at 64 clients, before the rounds: the better monolith goes on. */
  trials: Record<string, number>;
  /** Requests per second offered at half load. */
  halfLoad: number;
  /** By contender and load, one for each round. */
  rounds: Record<string, Record<Load, Measurement[]>>;
  monolith: string;
  /** Roster to monolith: medians of the rounds' ratios, and their least and greatest. */
  ratios: Record<keyof Ratios, { median: number; least: number; greatest: number }>;
  expected: Expectation;
  verdicts: ReturnType<typeof judge>;
}

export interface Bench {
  contenders: Contenders;
  generator: Generator;
  dataSet: DataSet;
  plan: Plan;
  say: (line: string) => void;
}

const loads: Record<Load, Shape> = {
  clients64: { clients: 64 },
  clients256: { clients: 256 },
  client1: { clients: 1 },
  half: { perSecond: 0, connectionsMax: 512, whenTaken: 'wait' },
};

/** Measures one job: all contenders once, then the better monolith and Roster in turn, round by round. */
export async function compareJob(name: string, bench: Bench): Promise<JobResult> {
  const { contenders, plan } = bench;
  const { title } = jobs[name]!;
  await compareAnswers(name, bench);
  const run = measurer(name, bench);

  const trials: Record<string, number> = {};
  for (const contender of contenders.all) {
    const { perSecond } = await run(contender, loads.clients64, plan.trialSeconds, 0);
    trials[contender.name] = perSecond;
  }
  const roster = contenders.all.at(-1)!;
  const monolith = contenders.all
    .slice(0, -1)
    .reduce((best, other) => (trials[other.name]! > trials[best.name]! ? other : best));

  const pair = [monolith, roster];
  const rounds: JobResult['rounds'] = {};
  for (const { name: contender } of pair)
    rounds[contender] = { clients64: [], clients256: [], client1: [], half: [] };
  let halfLoad = 0;
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const load of Object.keys(loads) as Load[]) {
      if (load === 'half' && halfLoad === 0)
        halfLoad = Math.floor(Math.min(...pair.map((one) => saturation(rounds[one.name]!, 0))) / 2);
      const shape = load === 'half' ? { ...loads.half, perSecond: halfLoad } : loads[load];
      // Who is first changes from round to round.
      for (const contender of round % 2 === 0 ? pair : pair.toReversed()) {
        const measurement = await run(contender, shape, plan.seconds[load], round + 1);
        rounds[contender.name]![load].push(measurement);
      }
    }
  }
  const ratios = ratiosOf(rounds[monolith.name]!, rounds[roster.name]!);
  const expected = expectations[name] ?? {};
  const medians = Object.fromEntries(
    Object.entries(ratios).map(([ratio, { median }]) => [ratio, median]),
  );
  return {
    job: name,
    title,
    trials,
    halfLoad,
    rounds,
    monolith: monolith.name,
    ratios,
    expected,
    verdicts: judge(expected, medians),
  };
}

let sequence = 1_000_000;

function measurer(name: string, bench: Bench) {
  const { contenders, generator, dataSet, plan } = bench;
  const { consumes, writes } = jobs[name]!;
  let fastest = 8000;
  return async (contender: Contender, shape: Shape, seconds: number, seed: number) => {
    const rate = 'perSecond' in shape ? shape.perSecond : fastest * 1.6;
    const requests = Math.ceil(rate * (plan.warmSeconds + seconds)) + 1000;
    if (consumes) await provideContacts(contender.databaseUrl, dataSet, sequence, requests);
    if (writes) await settle(contenders.all);
    contenders.emptyLogs();
    const { warmSeconds } = plan;
    const order = { job: name, dataSet, shape, warmSeconds, seconds, seed, sequence };
    const measurement = await measure(generator, contender, order);
    sequence += measurement.made + requests;
    fastest = Math.max(fastest, measurement.perSecond);
    return measurement;
  };
}

/** Requests per second of a round, whichever number of clients served better. */
export const saturation = (rounds: Record<Load, Measurement[]>, round: number): number =>
  Math.max(rounds.clients64[round]!.perSecond, rounds.clients256[round]!.perSecond);

function ratiosOf(
  monolith: Record<Load, Measurement[]>,
  roster: Record<Load, Measurement[]>,
): JobResult['ratios'] {
  const perRound = (value: (rounds: Record<Load, Measurement[]>, round: number) => number) => {
    const ratios = roster.half.map((_, round) => value(roster, round) / value(monolith, round));
    return { median: medianOf(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
  };
  return {
    throughput: perRound(saturation),
    p99AtHalf: perRound(({ half }, round) => half[round]!.latencyMs.p99),
    p50AtOne: perRound(({ client1 }, round) => client1[round]!.latencyMs.p50),
  };
}
