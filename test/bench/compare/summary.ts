import { medianOf } from '../load/latencies.js';
import type { JobResult, LoadName, Rounds } from './compare-job.js';
import type { Measurement } from './measure.js';
import type { OverloadResult } from './overload.js';

/** Medians of several rounds under one load, and the least and the greatest value. */
export const summaryOfRounds = (rounds: readonly Measurement[]) => ({
  perSecond: medianOf(rounds.map(({ perSecond }) => perSecond)),
  perSecondSpread: spreadOf(rounds.map(({ perSecond }) => perSecond)),
  p50Ms: medianOf(rounds.map(({ latencyMs }) => latencyMs.p50)),
  p99Ms: medianOf(rounds.map(({ latencyMs }) => latencyMs.p99)),
  p99MsSpread: spreadOf(rounds.map(({ latencyMs }) => latencyMs.p99)),
});

const spreadOf = (values: readonly number[]): number[] => [
  Math.min(...values),
  Math.max(...values),
];

/** Summary of a job: the medians of its rounds, and the cost of a request with 64 clients. */
export function summaryOfJob({ rounds, ...result }: JobResult) {
  const { expected: _, verdicts: __, ...rest } = result;
  const contenders = Object.entries(rounds).map(([name, all]) => [name, summaryOfContender(all)]);
  return { ...rest, contenders: Object.fromEntries(contenders) as object };
}

function summaryOfContender(rounds: Rounds) {
  const loads = Object.entries(rounds) as [LoadName, Measurement[]][];
  return {
    ...Object.fromEntries(loads.map(([load, all]) => [load, summaryOfRounds(all)])),
    cpuMicros: processorMicrosOf(rounds.clients64),
    rssMib: greatestOf(loads.flatMap(([, all]) => all.map(({ rssMib }) => rssMib))),
  };
}

/** Medians by component. */
export const processorMicrosOf = (rounds: readonly Measurement[]): Record<string, number> =>
  Object.fromEntries(
    Object.keys(rounds[0]?.cpuMicros ?? {}).map((part) => [
      part,
      medianOf(rounds.map(({ cpuMicros }) => cpuMicros[part] ?? 0)),
    ]),
  );

export const summaryOfOverload = ({ rounds, ...rest }: OverloadResult) => ({
  ...rest,
  ...Object.fromEntries(
    (Object.keys(rounds[0]!) as (keyof (typeof rounds)[number])[]).map((figure) => [
      figure,
      medianOf(rounds.map((round) => round[figure])),
    ]),
  ),
});

export function greatestOf(all: readonly Record<string, number>[]): Record<string, number> {
  const greatest: Record<string, number> = {};
  for (const figures of all)
    for (const [name, value] of Object.entries(figures))
      greatest[name] = Math.max(value, greatest[name] ?? 0);
  return greatest;
}
