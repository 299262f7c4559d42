import type { Contender } from '../contenders/contender.js';
import { jobs } from '../jobs/jobs.js';
import { medianOf } from '../load/latencies.js';
import type { Shape } from '../load/load.js';
import type { Bench } from './bench.js';
import { expectations, judge, type Expectation } from './expectations.js';
import { measureLimits } from './limits.js';
import type { Measurement } from './measure.js';
import type { Plan } from './plan.js';
import { settle } from './settle.js';

export type LoadName = keyof Plan['seconds'];
/** One measurement per round; half load may have more rounds. */
export type Rounds = Record<'clients64' | 'half', Measurement[]> &
  Partial<Record<LoadName, Measurement[]>>;

export interface JobResult {
  job: string;
  title: string;
  /**
   * Requests per second of each contender at 64 clients before the rounds.
   */
  trials: Record<string, number>;
  /** The monoliths that Roster is compared with, the fastest first. */
  rivals: string[];
  /** By contender and load. */
  rounds: Record<string, Rounds>;
  /** Offered requests per second at half load. */
  halfLoad: number;
  /** Requests per second of single components. */
  limits: Record<string, number>;
  /** Roster to the best monolith of each round: median, minimum and maximum of the ratios of the rounds. */
  ratios: Partial<Record<keyof Expectation, Ratio>>;
  expected: Expectation;
  verdicts: ReturnType<typeof judge>;
}

export interface Ratio {
  median: number;
  least: number;
  greatest: number;
}

const shapes: Record<LoadName, Shape> = {
  clients64: { clients: 64 },
  clients256: { clients: 256 },
  client1: { clients: 1 },
  half: { perSecond: 0, connectionsMax: 512, whenTaken: 'wait' },
};

/** Number of monoliths in the rounds, and the trial of the second one relative to the first. */
const rivalsMax = 2;
const nearlyFastest = 0.85;

/** Measures one job: first all contenders, then the fastest monoliths and Roster in alternation, round by round. */
export async function compareJob(job: string, bench: Bench, plan: Plan): Promise<JobResult> {
  await settle(bench.contenders.all);
  const trials = await tryAll(job, bench, plan);
  const { monoliths, roster } = bench.contenders;
  const rivals = fastest(monoliths, trials);
  const limits = plan.limits ? await measureLimits(job, bench) : {};
  const { rounds, halfLoad } = await inTurn(job, bench, plan, [...rivals, roster]);
  const ratios = ratiosOf(
    rivals.map(({ name }) => rounds[name]!),
    rounds[roster.name]!,
  );
  const expected = expectations[job] ?? {};
  return {
    job,
    title: jobs[job]!.title,
    trials,
    rivals: rivals.map(({ name }) => name),
    rounds,
    halfLoad,
    limits,
    ratios,
    expected,
    verdicts: judge(expected, ratios),
  };
}

async function tryAll(
  job: string,
  bench: Bench,
  { trials, trialSeconds: seconds, warmSeconds }: Plan,
): Promise<Record<string, number>> {
  const best: Record<string, number> = {};
  for (let trial = 0; trial < trials; trial += 1) {
    for (const contender of bench.contenders.all) {
      const load = { shape: shapes.clients64, seconds, warmSeconds, seed: 0 };
      const { perSecond } = await bench.measure(job, contender, load);
      best[contender.name] = Math.max(perSecond, best[contender.name] ?? 0);
    }
  }
  return best;
}

/** The fastest monolith, and the next one if it may be the best in a round. */
function fastest(
  monoliths: readonly Contender[],
  trials: Readonly<Record<string, number>>,
): Contender[] {
  const byRate = monoliths.toSorted((one, other) => trials[other.name]! - trials[one.name]!);
  const nearly = trials[byRate[0]!.name]! * nearlyFastest;
  return byRate.slice(0, rivalsMax).filter(({ name }) => trials[name]! >= nearly);
}

async function inTurn(job: string, bench: Bench, plan: Plan, group: readonly Contender[]) {
  const rounds: Record<string, Rounds> = {};
  for (const { name } of group) rounds[name] = { clients64: [], half: [] };
  let halfLoad = 0;
  for (let round = 0; round < Math.max(plan.rounds, plan.halfRounds); round += 1) {
    for (const load of Object.keys(shapes) as LoadName[]) {
      const seconds = plan.seconds[load];
      if (seconds === undefined || round >= (load === 'half' ? plan.halfRounds : plan.rounds))
        continue;
      // The preceding loads have measured saturation.
      if (load === 'half' && round === 0)
        halfLoad = Math.floor(
          Math.min(...group.map(({ name }) => saturation(rounds[name]!, 0))) / 2,
        );
      const shape = load === 'half' ? { ...shapes.half, perSecond: halfLoad } : shapes[load];
      // The order alternates between rounds.
      for (const contender of round % 2 === 0 ? group : group.toReversed()) {
        const { warmSeconds } = plan;
        const seed = round + 1;
        const measurement = await bench.measure(job, contender, {
          shape,
          seconds,
          warmSeconds,
          seed,
        });
        (rounds[contender.name]![load] ??= []).push(measurement);
      }
    }
  }
  return { rounds, halfLoad };
}

/** Requests per second of a round, at the number of clients with the higher throughput. */
export const saturation = ({ clients64, clients256 }: Rounds, round: number): number =>
  Math.max(clients64[round]!.perSecond, clients256?.[round]!.perSecond ?? 0);

type Figure = (rounds: Rounds, round: number) => number;

function ratiosOf(rivals: readonly Rounds[], roster: Rounds): JobResult['ratios'] {
  const perRound = (load: LoadName, best: (...all: number[]) => number, figure: Figure): Ratio => {
    const ratios = roster[load]!.map(
      (_, round) => figure(roster, round) / best(...rivals.map((rival) => figure(rival, round))),
    );
    return { median: medianOf(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
  };
  return {
    throughput: perRound('clients64', Math.max, saturation),
    ...(roster.clients256 && {
      throughputAt64: perRound(
        'clients64',
        Math.max,
        ({ clients64 }, round) => clients64[round]!.perSecond,
      ),
    }),
    p99AtHalf: perRound('half', Math.min, ({ half }, round) => half[round]!.latencyMs.p99),
    ...(roster.client1 && {
      p50AtOne: perRound(
        'client1',
        Math.min,
        ({ client1 }, round) => client1![round]!.latencyMs.p50,
      ),
    }),
  };
}
