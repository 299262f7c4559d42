import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '../system/client.js';
import type { PartName } from '../system/processes.js';
import { startRoster } from '../system/running-roster.js';
import { inspectable, Inspector } from './inspector.js';
import { medianOf } from './load/latencies.js';

/** How many functions of Roster's own source a warm request passes in the gateway and in contacts. */
export interface FunctionCount {
  request: string;
  functions: number;
  files: number;
  /** The functions by process and source file. */
  passed: Record<string, string[]>;
}

/** The most functions that a request may pass. */
const atMost: Record<string, number> = { create: 200, get: 130 };
const parts: PartName[] = ['gateway', 'contacts'];
const warmRequests = 200;
const windows = 7;
const directory = fileURLToPath(new URL('../../bench/profiles/', import.meta.url));

/**
 * Counts the functions of V8's precise coverage that are called more often in each of several windows with one request than in
 * the median of as many windows without one: background tasks do not count. Functions of packages do not count either. The names of the functions
 * are written to profiles/.
 */
export async function countFunctions(print: (line: string) => void): Promise<FunctionCount[]> {
  const roster = await startRoster({ env: { LOG_LEVEL: 'info', ...inspectable } });
  try {
    const client = new Client(roster);
    const requests = requestsOf(client);
    for (const send of Object.values(requests))
      for (let n = 0; n < warmRequests; n += 1) await send();
    const processes = await Promise.all(parts.map((part) => Coverage.start(roster.home, part)));
    const counts: FunctionCount[] = [];
    for (const [request, send] of Object.entries(requests)) {
      await send();
      const busy: CallCounts[] = [];
      const idle: CallCounts[] = [];
      for (let n = 0; n < windows; n += 1) {
        busy.push(await callsDuring(processes, send));
        idle.push(await callsDuring(processes, async () => {}));
      }
      const count = countOf(request, busy, idle);
      counts.push(count);
      print(describe(count));
    }
    mkdirSync(directory, { recursive: true });
    for (const { request, passed } of counts)
      writeFileSync(
        join(directory, `functions-of-${request}.json`),
        JSON.stringify(passed, undefined, 2),
      );
    return counts;
  } finally {
    await roster.discard();
  }
}

function requestsOf(client: Client): Record<string, () => Promise<unknown>> {
  let created = 0;
  let id = '';
  return {
    create: async () => {
      created += 1;
      const contact = { email: `functions-${created}@example.com`, name: 'Ada', tags: ['new'] };
      const { status, body } = await client.post<{ contact: { id: string } }>(
        '/v1/contacts',
        contact,
      );
      if (status !== 201) throw new Error(`a creation was answered ${status}`);
      id = body.contact.id;
    },
    get: async () => {
      const { status } = await client.get(`/v1/contacts/${id}`);
      if (status !== 200) throw new Error(`a get was answered ${status}`);
    },
  };
}

/** Calls of each function, by process, file and position. */
type CallCounts = Map<string, number>;

async function callsDuring(
  processes: readonly Coverage[],
  send: () => Promise<unknown>,
): Promise<CallCounts> {
  await Promise.all(processes.map((process) => process.take()));
  const start = performance.now();
  await send();
  // What follows the response, such as the log line and the publishing of the event, is part of the request. Windows have one
  // length, so that background tasks have the same chance in each.
  await new Promise((resolve) =>
    setTimeout(resolve, Math.max(0, 250 - (performance.now() - start))),
  );
  const taken = await Promise.all(processes.map((process) => process.take()));
  return new Map(taken.flatMap((calls) => [...calls]));
}

function countOf(request: string, busy: CallCounts[], idle: CallCounts[]): FunctionCount {
  const names = [...busy[0]!.keys()].filter((name) => {
    const least = Math.min(...busy.map((calls) => calls.get(name) ?? 0));
    return least > medianOf(idle.map((calls) => calls.get(name) ?? 0));
  });
  const passed: Record<string, string[]> = {};
  for (const name of names.toSorted()) {
    const at = name.lastIndexOf(' ');
    (passed[name.slice(0, at)] ??= []).push(name.slice(at + 1));
  }
  return { request, functions: names.length, files: Object.keys(passed).length, passed };
}

function describe({ request, functions, files }: FunctionCount): string {
  const limit = atMost[request]!;
  return `${functions <= limit ? '✓' : '✗'} a warm ${request} passes ${functions} functions in ${files} files of gateway and contacts (at most ${limit})`;
}

interface ScriptCoverage {
  url: string;
  functions: {
    functionName: string;
    ranges: { startOffset: number; count: number }[];
  }[];
}

/** Precise coverage of a process: the calls of its own functions since the last take. */
class Coverage {
  readonly #part: PartName;
  readonly #inspector: Inspector;
  readonly #sources = new Map<string, (offset: number) => string | undefined>();

  private constructor(part: PartName, inspector: Inspector) {
    this.#part = part;
    this.#inspector = inspector;
  }

  static async start(home: string, part: PartName): Promise<Coverage> {
    const inspector = await Inspector.open(home, part);
    await inspector.send('Profiler.enable');
    await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return new Coverage(part, inspector);
  }

  async take(): Promise<CallCounts> {
    const { result } = await this.#inspector.send<{ result: ScriptCoverage[] }>(
      'Profiler.takePreciseCoverage',
    );
    const calls: CallCounts = new Map();
    for (const { url, functions } of result.filter(({ url }) => url.includes('/bundles/'))) {
      const placeOf = this.#placesOf(url);
      for (const { functionName, ranges } of functions) {
        const { startOffset, count } = ranges[0]!;
        const place = count > 0 && startOffset > 0 ? placeOf(startOffset) : undefined;
        if (place) calls.set(`${this.#part} ${place}:${functionName || '(anonymous)'}`, count);
      }
    }
    return calls;
  }

  /** The source file and line of a position in a bundle, undefined in the code of packages. */
  #placesOf(url: string): (offset: number) => string | undefined {
    const known = this.#sources.get(url);
    if (known) return known;
    const file = fileURLToPath(url);
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
    const starts = lineStarts(readFileSync(file, 'utf8'));
    const placeOf = (offset: number) => {
      let line = starts.findLastIndex((start) => start <= offset);
      line = Math.max(line, 0);
      const entry = map.findEntry(line, offset - starts[line]!);
      if (!('originalSource' in entry) || !entry.originalSource) return undefined;
      const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '').replace('/dist/', '/');
      return `${source} ${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    };
    this.#sources.set(url, placeOf);
    return placeOf;
  }
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
