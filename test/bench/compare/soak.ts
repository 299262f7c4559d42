import { medianOf } from '../load/latencies.js';
import type { Bench } from './bench.js';
import { number } from './report.js';
import { greatestOf } from './summary.js';

export interface SoakResult {
  job: string;
  perSecond: number;
  slices: { minute: number; p50Ms: number; p99Ms: number; rssMib: Record<string, number> }[];
}

const sliceSeconds = 30;

/** Keeps Roster at half of its maximum throughput, and prints its figures every half minute. */
export async function soak(
  job: string,
  bench: Bench,
  minutes: number,
  print: (line: string) => void,
): Promise<SoakResult> {
  const { roster } = bench.contenders;
  const { perSecond: peak } = await bench.measure(job, roster, {
    shape: { clients: 64 },
    warmSeconds: 2,
    seconds: 5,
    seed: 0,
  });
  const perSecond = Math.floor(peak / 2);
  print(`\nsoak, ${job}: ${number(perSecond, 0)}/s`);
  const slices: SoakResult['slices'] = [];
  for (let slice = 1; slice * sliceSeconds <= minutes * 60; slice += 1) {
    const { latencyMs, rssMib, otherStatuses } = await bench.measure(job, roster, {
      shape: { perSecond, connectionsMax: 512, whenTaken: 'wait' },
      warmSeconds: 0.5,
      seconds: sliceSeconds,
      seed: slice,
    });
    const minute = (slice * sliceSeconds) / 60;
    slices.push({ minute, p50Ms: latencyMs.p50, p99Ms: latencyMs.p99, rssMib });
    const memory = Object.entries(rssMib).map(([part, mib]) => `${part} ${number(mib, 0)}`);
    const others = Object.entries(otherStatuses).map(([status, n]) => `, ${n} answered ${status}`);
    print(
      `  ${number(minute, 1).padStart(5)} min  p50 ${number(latencyMs.p50, 2)} ms  p99 ${number(latencyMs.p99, 2)} ms  ` +
        `RSS MiB: ${memory.join(', ')}${others.join('')}`,
    );
  }
  return { job, perSecond, slices };
}

/** Summary: the latencies of the intervals, and memory at the start, at the end and at its peak. */
export const summaryOfSoak = ({ slices, ...rest }: SoakResult) => ({
  ...rest,
  minutes: slices.at(-1)?.minute ?? 0,
  p50Ms: medianOf(slices.map(({ p50Ms }) => p50Ms)),
  p99MsMax: Math.max(...slices.map(({ p99Ms }) => p99Ms)),
  rssMibAtFirst: slices[0]?.rssMib,
  rssMibAtLast: slices.at(-1)?.rssMib,
  rssMibMax: greatestOf(slices.map(({ rssMib }) => rssMib)),
});
