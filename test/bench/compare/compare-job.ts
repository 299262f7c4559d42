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
   * Requests per second of each contender at 64 clients before the rounds. The faster monolith is compared with
   * Roster.
   */
  trials: Record<string, number>;
  monolith: string;
  /** By contender and load. */
  rounds: Record<string, Rounds>;
  /** Offered requests per second at half load. */
  halfLoad: number;
  /** Requests per second of single components. */
  limits: Record<string, number>;
  /** Roster to monolith: median, minimum and maximum of the ratios of the rounds. */
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

/** Measures one job: first all contenders, then the faster monolith and Roster in alternation, round by round. */
export async function compareJob(job: string, bench: Bench, plan: Plan): Promise<JobResult> {
  await settle(bench.contenders.all);
  const trials = await tryAll(job, bench, plan);
  const { monoliths, roster } = bench.contenders;
  const monolith = monoliths.reduce((best, other) =>
    trials[other.name]! > trials[best.name]! ? other : best,
  );
  const limits = plan.limits ? await measureLimits(job, bench) : {};
  const { rounds, halfLoad } = await inTurn(job, bench, plan, [monolith, roster]);
  const ratios = ratiosOf(rounds[monolith.name]!, rounds[roster.name]!);
  const expected = expectations[job] ?? {};
  return {
    job,
    title: jobs[job]!.title,
    trials,
    monolith: monolith.name,
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

async function inTurn(job: string, bench: Bench, plan: Plan, pair: readonly Contender[]) {
  const rounds: Record<string, Rounds> = {};
  for (const { name } of pair) rounds[name] = { clients64: [], half: [] };
  let halfLoad = 0;
  for (let round = 0; round < plan.halfRounds; round += 1) {
    for (const load of Object.keys(shapes) as LoadName[]) {
      const seconds = plan.seconds[load];
      if (seconds === undefined || (load !== 'half' && round >= plan.rounds)) continue;
      // The preceding loads have measured saturation.
      if (load === 'half' && round === 0)
        halfLoad = Math.floor(
          Math.min(...pair.map(({ name }) => saturation(rounds[name]!, 0))) / 2,
        );
      const shape = load === 'half' ? { ...shapes.half, perSecond: halfLoad } : shapes[load];
      // The order alternates between rounds.
      for (const contender of round % 2 === 0 ? pair : pair.toReversed()) {
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

function ratiosOf(monolith: Rounds, roster: Rounds): JobResult['ratios'] {
  const perRound = (load: LoadName, value: (rounds: Rounds, round: number) => number): Ratio => {
    const ratios = roster[load]!.map((_, round) => value(roster, round) / value(monolith, round));
    return { median: medianOf(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
  };
  return {
    throughput: perRound('clients64', saturation),
    p99AtHalf: perRound('half', ({ half }, round) => half[round]!.latencyMs.p99),
    ...(roster.client1 && {
      p50AtOne: perRound('client1', ({ client1 }, round) => client1![round]!.latencyMs.p50),
    }),
  };
}
