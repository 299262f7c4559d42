import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startRoster } from '../../system/running-roster.js';
import { filterRatioMax } from '../compare/expectations.js';
import { apiKeyOf, contactUuidStart, dataSetOf, workspaceUuid } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { medianOf } from '../load/latencies.js';
import { filtersOf, insertFiltered } from './filters.js';

export interface FilterResult {
  filter: string;
  /** As in the response, with `~` if it is an estimate. */
  total: string;
  /** Medians: the first request in ten seconds, which counts, and the following ones. */
  firstMs: number;
  nextMs: number;
  /** Relative to the median of the plain list, which alternates with this filter. */
  firstRatio: number;
  nextRatio: number;
}

interface Answer {
  ms: number;
  total: string;
}

const workspace = 1;
const perStatement = 100_000;
const rounds = 7;
const nextsPerRound = 2;

/** What the first page of each filter costs, relative to the first page of the plain list in the same workspace. */
export async function benchFilters(
  contacts: number,
  print: (line: string) => void,
): Promise<FilterResult[]> {
  const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  const roster = await startRoster({ home: join(home, 'roster') });
  try {
    await loadDataSet(roster.databaseUrl, dataSetOf(1000));
    await loadFiltered(roster.databaseUrl, contacts);
    const read = async (query: string): Promise<Answer> => {
      const start = performance.now();
      const response = await fetch(`${roster.baseUrl}/v1/contacts?limit=50&${query}`, {
        headers: { authorization: `Bearer ${apiKeyOf(workspace)}` },
      });
      const body = await response.text();
      const ms = performance.now() - start;
      if (!response.ok) throw new Error(`${query}: ${response.status} ${body}`);
      const { pagination } = JSON.parse(body) as {
        pagination: { total: number; totalIsEstimate?: boolean };
      };
      return { ms, total: `${pagination.total}${pagination.totalIsEstimate ? '~' : ''}` };
    };
    const results = await measureAll(filtersOf(contacts), read);
    for (const result of results) print(lineOf(result));
    return results;
  } finally {
    await roster.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function loadFiltered(url: string, contacts: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set maintenance_work_mem = '256MB'; set synchronous_commit = off");
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index where indrelid = 'contacts.contacts'::regclass
         and not exists (select from pg_constraint where conindid = indexrelid)`,
    );
    // Building indexes at the end takes half the time.
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query('delete from contacts.contacts where workspace_id = $1', [
      workspaceUuid(workspace),
    ]);
    const start = `${contactUuidStart}${workspace.toString(16).padStart(3, '0')}`;
    for (let from = 0; from < contacts; from += perStatement)
      await client.query(insertFiltered, [
        workspaceUuid(workspace),
        start,
        from,
        Math.min(contacts, from + perStatement) - 1,
      ]);
    for (const { definition } of indexes) await client.query(definition);
    await client.query('vacuum analyze contacts.contacts');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

async function measureAll(
  filters: Record<string, string>,
  read: (query: string) => Promise<Answer>,
): Promise<FilterResult[]> {
  const all = Object.entries(filters).map(([filter, query]) => ({
    filter,
    query,
    total: '',
    plain: [] as number[],
    first: [] as number[],
    next: [] as number[],
  }));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1)
    for (const one of all)
      for (let turn = 0; turn <= nextsPerRound; turn += 1) {
        const answer = await read(one.query);
        const plain = await read('');
        one.total = answer.total;
        if (round === 0) continue;
        (turn === 0 ? one.first : one.next).push(answer.ms);
        one.plain.push(plain.ms);
      }
  return all.map(({ filter, total, plain, first, next }) => {
    const [plainMs, firstMs, nextMs] = [medianOf(plain), medianOf(first), medianOf(next)];
    const ratios = { firstRatio: firstMs / plainMs, nextRatio: nextMs / plainMs };
    return { filter, total, firstMs, nextMs, ...ratios };
  });
}

function lineOf({ filter, total, firstMs, nextMs, firstRatio, nextRatio }: FilterResult): string {
  const cost = (ms: number, ratio: number) =>
    `${ms.toFixed(1).padStart(9)} ms ${ratio.toFixed(2).padStart(6)} × ${ratio <= filterRatioMax ? '✓' : '✗'}`;
  return `  ${filter.padEnd(28)}${cost(firstMs, firstRatio)}${cost(nextMs, nextRatio)}  total ${total}`;
}
