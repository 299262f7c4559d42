/** `npm run bench`: the figures of this machine, as tables and under results/. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { JobResult } from './compare/compare-job.js';
import { compare } from './compare/compare.js';
import { guardSlack, judge } from './compare/expectations.js';
import { machine } from './compare/settings.js';
import { benchDeliveries, type DeliveryResults, type Row } from './deliveries.js';
import { benchGraphql } from './graphql/bench-graphql.js';
import { jobs } from './jobs/jobs.js';

const directory = fileURLToPath(new URL('../../bench/results/', import.meta.url));
const say = (line: string) => console.log(line);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Deliveries: 60 s for each sustained measurement instead of 20. */
    long: { type: 'boolean', default: false },
    /** Processor profiles of the processes instead of figures, under profiles/. */
    profile: { type: 'boolean', default: false },
    /** A minute and a half instead of ten: fails when something is not half as good as it is expected to be. */
    quick: { type: 'boolean', default: false },
    /** In the large workspace; a million, or a quarter of it for a quick look. */
    contacts: { type: 'string' },
    /** Minutes for which Roster is kept at half load, instead of comparing it. */
    soak: { type: 'string', default: '0' },
  },
});
/** Measured by themselves, not against a monolith. */
const apart = ['deliveries', 'graphql'];
const known = [...Object.keys(jobs), 'overload', ...apart];
const contacts = Number(values.contacts ?? (values.quick ? 250_000 : 1_000_000));
const soakMinutes = Number(values.soak);
const isUsable =
  positionals.every((name) => known.includes(name)) && contacts >= 1000 && soakMinutes >= 0;
if (isUsable) {
  const names = positionals.filter((name) => !apart.includes(name));
  if (positionals.includes('deliveries')) await deliveries();
  if (positionals.includes('graphql')) await graphql();
  if (positionals.length === 0 || names.length > 0) await comparison(names);
} else {
  console.error(
    'Usage: npm run bench -- [job …] [--quick] [--profile] [--soak <minutes>] [--contacts <1000 or more>] [--long]\n' +
      `Jobs: ${known.join(', ')}`,
  );
  process.exitCode = 2;
}
// The channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect();

async function comparison(names: readonly string[]): Promise<void> {
  const { quick, profile } = values;
  const results = await compare({ jobs: names, contacts, quick, profile, soakMinutes, say });
  if (quick) return guard(results.jobs);
  const { settings } = results;
  for (const result of results.jobs) save(result.job, { settings, ...result });
  if (results.overload.length > 0) save('overload', { settings, results: results.overload });
  if (results.soak) save('soak', { settings, ...results.soak });
}

/** A second on a machine that others use says nothing of a 99th percentile, but it shows what became twice as slow. */
function guard(results: readonly JobResult[]): void {
  const failed = results.filter(
    ({ expected, ratios }) => judge(expected, ratios, guardSlack).throughput === false,
  );
  for (const { job } of failed) say(`✗ ${job} is not half as good as expected.`);
  if (failed.length > 0) process.exitCode = 1;
}

async function deliveries(): Promise<void> {
  const seconds = values.long ? 60 : 20;
  const results = await benchDeliveries({ seconds, profile: values.profile, say });
  for (const [name, rows] of Object.entries(results) as [keyof DeliveryResults, Row[]][])
    say(`\n${name}\n${table(rows)}`);
  if (!values.profile) save('deliveries', { machine: machine(), seconds, ...results });
}

async function graphql(): Promise<void> {
  const { quick, profile } = values;
  const results = await benchGraphql({ quick, profile, say });
  if (!quick && !profile) save('graphql', { machine: machine(), results });
}

function save(name: string, results: object): void {
  mkdirSync(directory, { recursive: true });
  const text = JSON.stringify(results, (_, value: unknown) => rounded(value), 2);
  writeFileSync(join(directory, `${name}.json`), `${text}\n`);
}

/** Four digits say all that a measurement can. */
function rounded(value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}

/** One line per figure, one column per measurement. */
function table(rows: Row[]): string {
  const names = Object.keys(rows[0]!);
  const width = Math.max(...names.map((name) => name.length));
  return names
    .map(
      (name) =>
        `  ${name.padEnd(width)}${rows.map((row) => String(row[name]).padStart(10)).join('')}`,
    )
    .join('\n');
}
