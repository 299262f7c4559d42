import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { partNames, processesOf } from '../../system/processes.js';
import { startRoster, type RunningRoster } from '../../system/running-roster.js';
import { importExpectations } from '../compare/expectations.js';
import { measure, type Measurement } from '../compare/measure.js';
import { settle } from '../compare/settle.js';
import type { Contender } from '../contenders/contender.js';
import { apiKeyOf, dataSetOf } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { Generator } from '../load/generator.js';
import { medianOf } from '../load/latencies.js';
import { inspectable } from '../inspector.js';
import { profile } from '../profile.js';
import { csvFile } from './csv-file.js';

export interface ImportOptions {
  rows: number;
  profile: boolean;
  print: (line: string) => void;
}

export interface ImportResult {
  events: 'each' | 'summary';
  rows: number;
  uploadSeconds: number;
  appliedSeconds: number;
  /** Medians of the measurements of the other workspace, before the import, during its upload and during its application. */
  alone: Latency;
  besideUpload: Latency;
  besideApplication: Latency;
  /** The other workspace's requests that were refused or not answered. */
  failed: number;
  /** Cores that other processes of the machine used during the application: they delay both workspaces. */
  otherCores: number;
  /** Maxima. */
  gatewayMib: number;
  contactsMib: number;
}

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

interface Import {
  id: string;
  endedAt: string | null;
  created: number;
}

const perSecond = 200;
const aloneRounds = 3;
const seconds = 4;

/** Imports a file of contacts while another workspace sends requests at a constant rate. */
export async function benchImport(options: ImportOptions): Promise<ImportResult[]> {
  const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  const roster = await startRoster({
    home: join(home, 'roster'),
    ...(options.profile && { env: inspectable }),
  });
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
    let sequence = 0;
    const useApi = () => {
      sequence += 1_000_000;
      const shape = { perSecond, connectionsMax: 256, whenTaken: 'wait' } as const;
      const order = { job: 'mixed', dataSet, shape, seed: sequence, sequence };
      return measure(generator, contender, { ...order, warmSeconds: 0.5, seconds });
    };
    await useApi();
    const results: ImportResult[] = [];
    for (const [at, events] of (['each', 'summary'] as const).entries()) {
      await settle([contender]);
      const importer = { ...roster, apiKey: apiKeyOf(dataSet.many.first + at) };
      const result = await importBeside(importer, events, useApi, options);
      results.push(result);
      for (const line of linesOf(result)) options.print(line);
    }
    return results;
  } finally {
    await generator.stop();
    await roster.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function importBeside(
  importer: Pick<RunningRoster, 'baseUrl' | 'apiKey' | 'home'>,
  events: ImportResult['events'],
  useApi: () => Promise<Measurement>,
  { rows, profile: isProfiled, print }: ImportOptions,
): Promise<ImportResult> {
  const alone: Measurement[] = [];
  for (let round = 0; round < aloneRounds; round += 1) alone.push(await useApi());
  const begunAt = performance.now();
  const [{ id, uploadedAt }, besideUpload] = await beside(upload(importer, rows, events), useApi);
  const end = isProfiled ? await profile(importer.home, 'contacts') : undefined;
  const [endedAt, besideApplication] = await beside(ended(importer, id, rows), useApi);
  if (end) print(await end());
  const all = [...alone, ...besideUpload, ...besideApplication];
  const greatest = (part: string) => Math.max(...all.map(({ rssMib }) => rssMib[part]!));
  return {
    events,
    rows,
    uploadSeconds: (uploadedAt - begunAt) / 1000,
    appliedSeconds: (endedAt - uploadedAt) / 1000,
    alone: latencyOf(alone),
    besideUpload: latencyOf(besideUpload),
    besideApplication: latencyOf(besideApplication),
    failed: all.reduce((sum, one) => sum + failedOf(one), 0),
    otherCores: medianOf(besideApplication.map(coresOfOthers)),
    gatewayMib: greatest('gateway'),
    contactsMib: greatest('contacts'),
  };
}

/** Measures, at least once, until the work is done. A measurement at the end of which it was done counts if there is no other. */
async function beside<T>(
  work: Promise<T>,
  useApi: () => Promise<Measurement>,
): Promise<[T, Measurement[]]> {
  let isDone = false;
  void work.finally(() => (isDone = true)).catch(() => {});
  const measured: Measurement[] = [];
  for (;;) {
    const one = await useApi();
    if (!isDone || measured.length === 0) measured.push(one);
    if (isDone) return [await work, measured];
  }
}

async function upload(
  { baseUrl, apiKey }: Pick<RunningRoster, 'baseUrl' | 'apiKey'>,
  rows: number,
  events: string,
): Promise<{ id: string; uploadedAt: number }> {
  const response = await fetch(`${baseUrl}/v1/imports?events=${events}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
    body: csvFile(rows),
    duplex: 'half',
  });
  if (response.status !== 202) throw new Error(await response.text());
  const { import: created } = (await response.json()) as { import: Import };
  return { id: created.id, uploadedAt: performance.now() };
}

/** The time at which the import was seen to have ended. */
async function ended(
  { baseUrl, apiKey }: Pick<RunningRoster, 'baseUrl' | 'apiKey'>,
  id: string,
  rows: number,
): Promise<number> {
  for (;;) {
    const response = await fetch(`${baseUrl}/v1/imports/${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { import: shown } = (await response.json()) as { import: Import };
    if (shown.endedAt !== null) {
      if (shown.created !== rows) throw new Error(JSON.stringify(shown));
      return performance.now();
    }
    await setTimeout(200);
  }
}

const latencyOf = (measured: readonly Measurement[]): Latency => ({
  p50Ms: medianOf(measured.map(({ latencyMs }) => latencyMs.p50)),
  p99Ms: medianOf(measured.map(({ latencyMs }) => latencyMs.p99)),
});

const coresOfOthers = ({ cpuMicros, answered, seconds: took }: Measurement): number =>
  (cpuMicros['others']! * answered) / took / 1e6;

const failedOf = ({ otherStatuses, dropped }: Measurement): number =>
  Object.values(otherStatuses).reduce((sum, count) => sum + count, dropped);

function linesOf(result: ImportResult): string[] {
  const { events, rows, uploadSeconds, appliedSeconds, alone, failed } = result;
  const { secondsMaxOfMillion, p99RatioMax, rssMibMax } = importExpectations;
  const mark = (isMet: boolean) => (isMet ? '✓' : '✗');
  const secondsMax = (secondsMaxOfMillion * rows) / 1_000_000;
  const total = uploadSeconds + appliedSeconds;
  const latency = (name: string, { p50Ms, p99Ms }: Latency) => {
    const ratio = p99Ms / alone.p99Ms;
    const verdict =
      name === 'alone'
        ? ''
        : `  ${ratio.toFixed(2)} × ≤ ${p99RatioMax} × ${mark(ratio <= p99RatioMax)}`;
    return `  ${name.padEnd(20)} p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms${verdict}`;
  };
  const memory = (part: string, mib: number) =>
    `${part} ${mib.toFixed(0)} MiB ≤ ${rssMibMax} ${mark(mib <= rssMibMax)}`;
  return [
    `${rows.toLocaleString('en-US')} rows, events=${events}`,
    `  upload ${uploadSeconds.toFixed(1)} s, application ${appliedSeconds.toFixed(1)} s (${Math.round(rows / appliedSeconds)} rows/s), together ${total.toFixed(1)} s ≤ ${secondsMax.toFixed(1)} s ${mark(total <= secondsMax)}`,
    latency('alone', alone),
    latency('beside the upload', result.besideUpload),
    latency('beside the import', result.besideApplication),
    `  other processes used ${result.otherCores.toFixed(2)} cores`,
    `  ${failed} requests failed ${mark(failed === 0)}; ${memory('gateway', result.gatewayMib)}, ${memory('contacts', result.contactsMib)}`,
  ];
}
