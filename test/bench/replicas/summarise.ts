import type { Measurement } from '../compare/measure.js';
import { medianOf } from '../load/latencies.js';

export const jobs = ['get', 'create'] as const;

export interface ReplicasResult {
  /** `empty koa`: Koa processes with an empty handler, which show the cost of switching between processes alone. */
  job: (typeof jobs)[number] | 'empty koa';
  clients: number;
  processes: number;
  /** Medians of the turns. */
  perSecond: number;
  cpuMicros: number;
  /** CPU time per request, relative to one process with the same number of clients. */
  ratio: number;
}

/** One measurement of a turn. */
export interface Taken {
  job: ReplicasResult['job'];
  clients: number;
  processes: number;
  figures: Pick<Measurement, 'perSecond' | 'cpuMicros'>;
}

/** Excluded from the CPU time per request: the load generator, and all other processes of the machine. */
const excluded = new Set(['load', 'others']);

export function summarise(taken: readonly Taken[]): ReplicasResult[] {
  const groups = Map.groupBy(taken, ({ job, clients }) => `${job} ${clients}`);
  return [...groups.values()].flatMap((group) => {
    const { job, clients } = group[0]!;
    const byCount = Map.groupBy(group, ({ processes }) => processes);
    const costOf = (processes: number) =>
      medianOf(byCount.get(processes)!.map(({ figures }) => totalMicros(figures)));
    return [...byCount].map(([processes, all]) => ({
      job,
      clients,
      processes,
      perSecond: medianOf(all.map(({ figures }) => figures.perSecond)),
      cpuMicros: costOf(processes),
      ratio: costOf(processes) / costOf(1),
    }));
  });
}

const totalMicros = ({ cpuMicros }: Taken['figures']): number =>
  Object.entries(cpuMicros).reduce(
    (sum, [part, micros]) => sum + (excluded.has(part) ? 0 : micros),
    0,
  );
