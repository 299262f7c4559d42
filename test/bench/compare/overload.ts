import { medianOf } from '../load/latencies.js';
import type { Bench } from './bench.js';
import { goodputMin } from './expectations.js';
import { number } from './report.js';

export interface OverloadResult {
  job: string;
  contender: string;
  rounds: OverloadRound[];
}

interface OverloadRound {
  /** Throughput with 256 clients: the mean of the measurements before and after. */
  peak: number;
  /** Successful responses at four times the peak load. */
  goodput: number;
  offered: number;
  p99Ms: number;
  /** Requests answered 503 or 429. */
  refused: number;
  refusedP99Ms: number;
  /** Requests with other responses, or without a response. */
  failed: number;
  /** Requests per second that were not sent, because all permitted connections were waiting. */
  dropped: number;
}

const rounds = 3;
/** The monolith has no expected value. */
const monolithRounds = 1;
const times = 4;
/** More than the maximum number of requests in flight of the gateway. */
const connectionsMax = 4096;

/** Offers Roster and the monolith four times their peak load, and measures the goodput. */
export async function overload(
  job: string,
  bench: Bench,
  print: (line: string) => void,
): Promise<OverloadResult[]> {
  const { monoliths, roster } = bench.contenders;
  const results = [monoliths[0]!, roster].map((contender) => ({
    contender,
    rounds: [] as OverloadRound[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, rounds: done } of results) {
      if (contender !== roster && round >= monolithRounds) continue;
      const measurePeak = () =>
        bench.measure(job, contender, {
          shape: { clients: 256 },
          warmSeconds: 0.5,
          seconds: 1.5,
          seed: round,
        });
      const { perSecond: before } = await measurePeak();
      const perSecond = Math.round(before * times);
      const measured = await bench.measure(job, contender, {
        warmSeconds: 1.5,
        seconds: 2.5,
        seed: round,
        shape: { perSecond, connectionsMax, whenTaken: 'drop' },
      });
      const { perSecond: after } = await measurePeak();
      const { otherStatuses, seconds } = measured;
      const { 503: busy = 0, 429: limited = 0, ...failures } = otherStatuses;
      done.push({
        peak: (before + after) / 2,
        goodput: measured.perSecond,
        offered: perSecond,
        p99Ms: measured.latencyMs.p99,
        refused: (busy + limited) / seconds,
        refusedP99Ms: measured.refusalMs.p99,
        failed: Object.values(failures).reduce((sum, count) => sum + count, 0) / seconds,
        dropped: measured.dropped / seconds,
      });
    }
  }
  return results.map(({ contender: { name }, rounds: done }) => {
    const median = (value: (round: OverloadRound) => number, digits = 0) =>
      number(medianOf(done.map(value)), digits);
    const share = medianOf(done.map(({ goodput, peak }) => goodput / peak));
    const verdict = name === 'roster' ? `  ≥ ${goodputMin} ${share >= goodputMin ? '✓' : '✗'}` : '';
    print(
      `\noverload, ${job}, ${name}: peak ${median((r) => r.peak)}/s; offered ${median((r) => r.offered)}/s: ` +
        `answered ${median((r) => r.goodput)}/s (p99 ${median((r) => r.p99Ms)} ms), refused ${median((r) => r.refused)}/s ` +
        `(p99 ${median((r) => r.refusedP99Ms)} ms), failed ${median((r) => r.failed)}/s, no connection free ${median((r) => r.dropped)}/s\n` +
        `  goodput ${number(share, 2)} of the peak${verdict}`,
    );
    return { job, contender: name, rounds: done };
  });
}
