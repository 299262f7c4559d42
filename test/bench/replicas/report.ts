import { replicasRatioMax } from '../compare/expectations.js';
import { jobs, type ReplicasResult } from './summarise.js';

/** The load that grows with the processes: this number of clients for each gateway. */
const clientsEach = 64;

/** Lines of the tables: first the expected value, for a load that grows with the processes, then a constant load. */
export function report(results: readonly ReplicasResult[]): string[] {
  return [
    `CPU time per request, ${clientsEach} clients for each gateway, relative to one of each with ${clientsEach}:`,
    ...[...jobs, 'empty koa' as const].flatMap((job) => growthLines(results, job)),
    'CPU time per request, the same clients divided among more processes, relative to one of each:',
    ...results.map(({ job, clients, processes, perSecond, cpuMicros, ratio }) =>
      [
        `  ${job}, ${clients} clients, ${processes} of each`.padEnd(38),
        `${perSecond.toFixed(0)}/s`.padStart(10),
        `${cpuMicros.toFixed(0)} µs`.padStart(10),
        `${ratio.toFixed(2)} ×`.padStart(10),
      ].join(''),
    ),
  ];
}

function growthLines(results: readonly ReplicasResult[], job: ReplicasResult['job']): string[] {
  const costOf = (processes: number) =>
    results.find(
      (result) =>
        result.job === job &&
        result.processes === processes &&
        result.clients === processes * clientsEach,
    )?.cpuMicros ?? Number.NaN;
  return [2, 4].map((processes) => {
    const ratio = costOf(processes) / costOf(1);
    const verdict =
      job === 'empty koa'
        ? ''
        : `  ≤ ${replicasRatioMax} × ${ratio <= replicasRatioMax ? '✓' : '✗'}`;
    return (
      `  ${job}, ${processes} of each`.padEnd(38) + `${ratio.toFixed(2)} ×`.padStart(10) + verdict
    );
  });
}
