import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Offender } from '../../faults/neighbours/misbehaviour.js';
import { misbehaviours } from '../../faults/neighbours/misbehaviours.js';
import { partNames, processesOf } from '../../system/processes.js';
import { startRoster } from '../../system/running-roster.js';
import { neighboursRatioMax } from '../compare/expectations.js';
import { measure, type Measurement } from '../compare/measure.js';
import { settle } from '../compare/settle.js';
import type { Contender } from '../contenders/contender.js';
import { apiKeyOf, dataSetOf } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { Generator } from '../load/generator.js';
import { medianOf } from '../load/latencies.js';
import { busyProcess } from './busy-process.js';
import { deletion, deletionEnv } from './deletion.js';

export interface NeighboursResult {
  misbehaviour: string;
  /** Medians of the rounds, without the misbehaviour and with it. */
  p50Ms: number;
  p99Ms: number;
  p50MsBeside: number;
  p99MsBeside: number;
  /** The ratio of the p99 in each round; the median. */
  ratio: number;
  /** The neighbours' requests that were refused or not answered, in all rounds. */
  failed: number;
  gatewayMib: number;
  contactsMib: number;
}

const rounds = 3;
const perSecond = 200;
const warmSeconds = 1;
const seconds = 4;

/** What the requests of one workspace wait while another one misbehaves, and what they wait without it. */
export async function benchNeighbours(say: (line: string) => void): Promise<NeighboursResult[]> {
  const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  const roster = await startRoster({ home: join(home, 'roster'), env: deletionEnv });
  const generator = new Generator();
  try {
    const dataSet = dataSetOf(1000);
    await loadDataSet(roster.databaseUrl, dataSet);
    const contender: Contender = {
      name: 'roster',
      port: Number(new URL(roster.baseUrl).port),
      databaseUrl: roster.databaseUrl,
      processes: () =>
        Object.fromEntries(partNames.map((part) => [part, processesOf(roster.home, part)])),
    };
    const offender: Offender = { ...roster, apiKey: apiKeyOf(dataSet.large.first) };
    let sequence = 0;
    const useApi = async () => {
      sequence += 1_000_000;
      const shape = { perSecond, connectionsMax: 256, whenTaken: 'wait' } as const;
      const order = { job: 'mixed', dataSet, shape, seed: sequence, sequence };
      return measure(generator, contender, { ...order, warmSeconds, seconds });
    };
    await useApi();
    const results: NeighboursResult[] = [];
    for (const { name, begin } of [busyProcess, deletion(), ...misbehaviours]) {
      const pairs: [alone: Measurement, beside: Measurement][] = [];
      for (let round = 0; round < rounds; round += 1) {
        await settle([contender]);
        const alone = await useApi();
        const end = await begin(offender);
        try {
          pairs.push([alone, await useApi()]);
        } finally {
          await end();
        }
      }
      const result = summaryOf(name, pairs);
      results.push(result);
      say(lineOf(result));
    }
    return results;
  } finally {
    await generator.stop();
    await roster.stop();
    await rm(home, { recursive: true, force: true });
  }
}

function summaryOf(
  misbehaviour: string,
  pairs: readonly [Measurement, Measurement][],
): NeighboursResult {
  const median = (figure: (pair: [Measurement, Measurement]) => number) =>
    medianOf(pairs.map(figure));
  const greatest = (part: string) => Math.max(...pairs.map(([, { rssMib }]) => rssMib[part]!));
  return {
    misbehaviour,
    p50Ms: median(([alone]) => alone.latencyMs.p50),
    p99Ms: median(([alone]) => alone.latencyMs.p99),
    p50MsBeside: median(([, beside]) => beside.latencyMs.p50),
    p99MsBeside: median(([, beside]) => beside.latencyMs.p99),
    ratio: median(([alone, beside]) => beside.latencyMs.p99 / alone.latencyMs.p99),
    failed: pairs.reduce((sum, [, beside]) => sum + failedOf(beside), 0),
    gatewayMib: greatest('gateway'),
    contactsMib: greatest('contacts'),
  };
}

const failedOf = ({ otherStatuses, dropped }: Measurement): number =>
  Object.values(otherStatuses).reduce((sum, count) => sum + count, dropped);

function lineOf(result: NeighboursResult): string {
  const { misbehaviour, p50Ms, p99Ms, p50MsBeside, p99MsBeside, ratio, failed } = result;
  const isMet = ratio <= neighboursRatioMax && failed === 0;
  const times = (p50: number, p99: number) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`;
  return [
    `  ${misbehaviour}`.padEnd(50),
    times(p50Ms, p99Ms).padStart(18),
    times(p50MsBeside, p99MsBeside).padStart(18),
    `${ratio.toFixed(2)} ×`.padStart(9),
    `${failed} failed`.padStart(12),
    `  gateway ${result.gatewayMib.toFixed(0)}, contacts ${result.contactsMib.toFixed(0)} MiB`,
    `  ≤ ${neighboursRatioMax} ×, 0 failed ${isMet ? '✓' : '✗'}`,
  ].join('');
}
