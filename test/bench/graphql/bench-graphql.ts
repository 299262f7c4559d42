import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, type Measurement } from '../compare/measure.js';
import { processorMicrosOf, summaryOfRounds } from '../compare/summary.js';
import type { Contender } from '../contenders/contender.js';
import { dataSetOf, type DataSet } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { Connection } from '../load/connection.js';
import { Generator } from '../load/generator.js';
import { medianOf } from '../load/latencies.js';
import { seededRandom } from '../load/random.js';
import { inspectable } from '../inspector.js';
import { profile } from '../profile.js';
import { processesOf, type PartName } from '../../system/processes.js';
import { startRoster, type RunningRoster } from '../../system/running-roster.js';
import { graphqlJobs, type GraphqlJob } from './graphql-jobs.js';

export interface GraphqlOptions {
  quick: boolean;
  profile: boolean;
  print: (line: string) => void;
}

export interface GraphqlResult {
  title: string;
  /** Requests per second of GraphQL relative to REST: of each round, and their summary. */
  ratio: { median: number; least: number; greatest: number };
  rest: Measurement[];
  graphql: Measurement[];
}

/** Summary of a pair: the medians of its rounds. */
export const summaryOfPair = ({ title, ratio, rest, graphql }: GraphqlResult) => ({
  title,
  ratio,
  rest: { ...summaryOfRounds(rest), cpuMicros: processorMicrosOf(rest) },
  graphql: { ...summaryOfRounds(graphql), cpuMicros: processorMicrosOf(graphql) },
});

const pairs: { rest: GraphqlJob; graphql: GraphqlJob; title: string }[] = [
  { rest: 'rest-contact', graphql: 'graphql-contact', title: 'contact' },
  { rest: 'rest-contacts', graphql: 'graphql-contacts', title: '50 contacts' },
];
const parts: PartName[] = ['gateway', 'contacts', 'nats', 'postgres'];
const clients = 64;

/** Compares GraphQL with REST for the same jobs, in alternation on one running system. */
export async function benchGraphql(options: GraphqlOptions): Promise<GraphqlResult[]> {
  const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  const env = options.profile ? inspectable : {};
  const roster = await startRoster({ home: join(home, 'roster'), env });
  const generator = new Generator();
  try {
    const dataSet = dataSetOf(10_000);
    await loadDataSet(roster.databaseUrl, dataSet);
    const port = Number(new URL(roster.baseUrl).port);
    const results: GraphqlResult[] = [];
    for (const pair of pairs) {
      await sameAnswers(pair, port, dataSet);
      const result = await comparePair(pair, { roster, port, generator, dataSet, options });
      options.print(report(result));
      results.push(result);
    }
    if (options.profile) options.print(await profiled({ roster, port, generator, dataSet }));
    return results;
  } finally {
    await generator.stop();
    await roster.stop();
    await rm(home, { recursive: true, force: true });
  }
}

interface Bench {
  roster: RunningRoster;
  port: number;
  generator: Generator;
  dataSet: DataSet;
}

async function comparePair(
  { rest, graphql, title }: (typeof pairs)[number],
  { options, ...bench }: Bench & { options: GraphqlOptions },
): Promise<GraphqlResult> {
  const [rounds, seconds] = options.quick ? [1, 1] : [5, 2];
  const measured: Record<string, Measurement[]> = { [rest]: [], [graphql]: [] };
  // Warm-up: V8 compiles the code before the measurement.
  for (const job of [rest, graphql]) await run(job, bench, 2, 0);
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates between rounds.
    for (const job of round % 2 === 0 ? [rest, graphql] : [graphql, rest])
      measured[job]!.push(await run(job, bench, seconds, round + 1));
  }
  const ratios = measured[graphql]!.map(
    ({ perSecond }, round) => perSecond / measured[rest]![round]!.perSecond,
  );
  return {
    title,
    ratio: { median: medianOf(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) },
    rest: measured[rest]!,
    graphql: measured[graphql]!,
  };
}

function run(
  job: GraphqlJob,
  { roster, port, generator, dataSet }: Bench,
  seconds: number,
  seed: number,
): Promise<Measurement> {
  const contender: Contender = {
    name: 'roster',
    port,
    databaseUrl: roster.databaseUrl,
    processes: () =>
      Object.fromEntries(parts.map((part) => [part, processesOf(roster.home, part)])),
  };
  const shape = { clients };
  return measure(generator, contender, {
    ...{ job, dataSet, shape, warmSeconds: 0.4, seconds, seed, sequence: 0 },
  });
}

/** A profile of the gateway under requests for single contacts. */
async function profiled(bench: Bench): Promise<string> {
  const end = await profile(bench.roster.home, 'gateway');
  await run('graphql-contact', bench, 4, 99);
  return end();
}

/** Compares the responses, so that neither is faster because it answers less. */
async function sameAnswers(
  { rest, graphql }: (typeof pairs)[number],
  port: number,
  dataSet: DataSet,
): Promise<void> {
  const connection = await Connection.open(port, { keepBodies: true });
  const bodyOf = async (job: GraphqlJob) => {
    const next = graphqlJobs[job].requests({ dataSet, random: seededRandom(7) } as never);
    return JSON.parse((await connection.exchange(next().text)).body) as Bodies;
  };
  const { contact, contacts, pagination } = await bodyOf(rest);
  const { data } = await bodyOf(graphql);
  connection.close();
  const inGraphql = (one: Shown) => ({ ...one, status: one.status.toUpperCase() });
  if (contact) assert.deepEqual(data!.contact, inGraphql(contact));
  else {
    assert.deepEqual(data!.contacts!.nodes, contacts!.map(inGraphql));
    assert.equal(data!.contacts!.totalCount, pagination!.total);
  }
}

interface Shown {
  status: string;
}
interface Bodies {
  contact?: Shown;
  contacts?: Shown[];
  pagination?: { total: number };
  data?: { contact?: Shown; contacts?: { nodes: Shown[]; totalCount: number } };
}

function report({ title, ratio, rest, graphql }: GraphqlResult): string {
  const figure = (name: string, value: (one: Measurement) => number, digits: number) =>
    `  ${name.padEnd(30)}${[rest, graphql]
      .map((all) => medianOf(all.map(value)).toFixed(digits).padStart(14))
      .join('')}`;
  const { median, least, greatest } = ratio;
  return [
    `\n${title}, ${clients} clients`,
    `  ${''.padEnd(30)}${['REST', 'GraphQL'].map((name) => name.padStart(14)).join('')}`,
    figure('requests/s', ({ perSecond }) => perSecond, 0),
    figure('p50 ms', ({ latencyMs }) => latencyMs.p50, 2),
    figure('p99 ms', ({ latencyMs }) => latencyMs.p99, 2),
    ...[...parts, 'load', 'others'].map((part) =>
      figure(`CPU µs/request, ${part}`, ({ cpuMicros }) => cpuMicros[part] ?? 0, 0),
    ),
    `  GraphQL to REST, requests/s: ${median.toFixed(2)} × (${least.toFixed(2)}–${greatest.toFixed(2)})`,
  ].join('\n');
}
