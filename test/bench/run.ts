/** `npm run bench`: prints the figures of this machine as tables, and stores a summary in results.json. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from '../cluster/release.js';
import { measureSizes, measureStarts } from './command-line.js';
import type { JobResult } from './compare/compare-job.js';
import { compare } from './compare/compare.js';
import { guards } from './compare/expectations.js';
import { machine } from './compare/settings.js';
import { summaryOfSoak } from './compare/soak.js';
import { summaryOfJob, summaryOfOverload } from './compare/summary.js';
import { benchDeliveries, type DeliveryResults, type Row } from './deliveries.js';
import { benchFilters } from './filters/bench-filters.js';
import { countFunctions } from './functions.js';
import { benchGraphql, summaryOfPair } from './graphql/bench-graphql.js';
import { benchImport } from './imports/bench-import.js';
import { jobs } from './jobs/jobs.js';
import { benchNeighbours } from './neighbours/bench-neighbours.js';
import { compareCommit } from './pairs/compare-commit.js';
import { compareTraces } from './pairs/compare-traces.js';
import { benchReplicas } from './replicas/bench-replicas.js';
import { saveResults, saveRun } from './save-results.js';

const print = (line: string) => console.log(line);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Deliveries: 60 s for each sustained measurement instead of 20. */
    long: { type: 'boolean', default: false },
    /** CPU profiles of the processes instead of figures, under profiles/. */
    profile: { type: 'boolean', default: false },
    /** The shortest comparison; fails if a throughput ratio is below its guard. */
    quick: { type: 'boolean', default: false },
    /** Contacts in the large workspace; a million by default, a quarter of that with --quick. */
    contacts: { type: 'string' },
    /** Rows of an imported file. */
    rows: { type: 'string', default: '1000000' },
    /** Minutes for which Roster is kept at half load, instead of comparing it. */
    soak: { type: 'string', default: '0' },
  },
});
/** Jobs that are measured without a monolith. */
const withoutMonolith = [
  'command-line',
  'deliveries',
  'filters',
  'functions',
  'graphql',
  'import',
  'neighbours',
  'replicas',
];
const known = [...Object.keys(jobs), 'overload', ...withoutMonolith];
const contacts = Number(values.contacts ?? (values.quick ? 250_000 : 1_000_000));
const soakMinutes = Number(values.soak);
const [command, commit, ...named] = positionals;
const isUsable =
  positionals.every((name) => known.includes(name)) && contacts >= 1000 && soakMinutes >= 0;
if (command === 'compare' && commit !== undefined && named.every((name) => name in jobs)) {
  await compareWith(commit, named);
} else if (command === 'traces' && positionals.slice(1).every((name) => name in jobs)) {
  await traces(positionals.slice(1));
} else if (isUsable) {
  const names = positionals.filter((name) => !withoutMonolith.includes(name));
  if (positionals.includes('command-line')) await commandLine();
  if (positionals.includes('deliveries')) await deliveries();
  if (positionals.includes('filters')) await filters();
  if (positionals.includes('functions')) await functions();
  if (positionals.includes('graphql')) await graphql();
  if (positionals.includes('import')) await imports();
  if (positionals.includes('neighbours')) await neighbours();
  if (positionals.includes('replicas')) await replicas();
  if (positionals.length === 0 || names.length > 0) await comparison(names);
} else {
  console.error(
    'Usage: npm run bench -- [job …] [--quick] [--profile] [--soak <minutes>] [--contacts <1000 or more>] [--rows <number>] [--long]\n' +
      '       npm run bench -- compare <commit> [job …]\n' +
      '       npm run bench -- traces [job …]\n' +
      `Jobs: ${known.join(', ')}`,
  );
  process.exitCode = 2;
}
// The IPC channel to the parent would keep this process alive.
if (process.connected) process.disconnect();

/** Prints the figures of a commit beside those of this tree, and stores nothing. */
async function compareWith(name: string, names: readonly string[]): Promise<void> {
  const { stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  });
  const hash = stdout.trim();
  if (hash === '') {
    console.error(`The history of this checkout has no commit ${name}.`);
    process.exitCode = 2;
    return;
  }
  const commit = { hash, name: hash.slice(0, 8) };
  const jobs = names.length > 0 ? names : ['create', 'update', 'get'];
  await inPair((options) => compareCommit({ ...options, commit, jobs }));
}

/** Prints the figures with traces beside those without, and stores nothing. */
async function traces(names: readonly string[]): Promise<void> {
  const jobs = names.length > 0 ? names : ['create', 'get'];
  await inPair((options) => compareTraces({ ...options, jobs }));
}

interface PairOptions {
  contacts: number;
  print: (line: string) => void;
  signal: AbortSignal;
}

async function inPair(compare: (options: PairOptions) => Promise<unknown>): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interruption.abort());
  const contacts = Number(values.contacts ?? 20_000);
  try {
    await compare({ contacts, print, signal: interruption.signal });
  } catch (error) {
    // Whatever fails after an interruption fails because of it.
    if (!interruption.signal.aborted) throw error;
    process.exitCode = 130;
  }
}

async function comparison(names: readonly string[]): Promise<void> {
  const { quick, profile } = values;
  const results = await compare({ jobs: names, contacts, quick, profile, soakMinutes, print });
  if (positionals.length === 0 && !profile && !quick) await functions();
  if (quick) return guard(results.jobs);
  const { settings } = results;
  const summaries = Object.fromEntries(
    results.jobs.map((result): [string, object] => [result.job, summaryOfJob(result)]),
  );
  const overload = results.overload.map(summaryOfOverload);
  for (const [job, summary] of Object.entries(summaries))
    saveResults(job, { settings, ...summary });
  if (overload.length > 0) saveResults('overload', { settings, results: overload });
  if (results.jobs.length > 0)
    print(`\nSummary of this run: ${saveRun({ settings, jobs: summaries, overload })}`);
  if (results.soak) saveResults('soak', { settings, ...summaryOfSoak(results.soak) });
}

/** A second on a shared machine is too short for a 99th percentile, but shows the throughput. */
function guard(results: readonly JobResult[]): void {
  const failed = results.filter(
    // NaN results from a measurement without responses.
    ({ job, ratios }) => !(ratios.throughput!.median >= (guards[job] ?? 0)),
  );
  for (const { job } of failed)
    print(
      `✗ ${job} has less than ${guards[job]} × the throughput of the monolith without a stream.`,
    );
  if (failed.length > 0) process.exitCode = 1;
}

async function deliveries(): Promise<void> {
  const seconds = values.long ? 60 : 20;
  const results = await benchDeliveries({ seconds, profile: values.profile, print });
  for (const [name, rows] of Object.entries(results) as [keyof DeliveryResults, Row[]][])
    print(`\n${name}\n${table(rows)}`);
  if (!values.profile) saveResults('deliveries', { settings: machine(), seconds, ...results });
}

async function filters(): Promise<void> {
  const results = await benchFilters(contacts, print);
  saveResults('filters', { settings: machine(), contacts, results });
}

async function commandLine(): Promise<void> {
  const results = [...measureStarts(print), ...(await measureSizes(print))];
  saveResults('command-line', { settings: machine(), results });
}

async function functions(): Promise<void> {
  const counts = await countFunctions(print);
  const results = counts.map(({ request, functions, files }) => ({ request, functions, files }));
  if (!values.quick) saveResults('functions', { settings: machine(), results });
}

async function graphql(): Promise<void> {
  const { quick, profile } = values;
  const results = await benchGraphql({ quick, profile, print });
  if (!quick && !profile)
    saveResults('graphql', { settings: machine(), results: results.map(summaryOfPair) });
}

async function imports(): Promise<void> {
  const results = await benchImport({ rows: Number(values.rows), profile: values.profile, print });
  if (!values.profile) saveResults('import', { settings: machine(), results });
}

async function neighbours(): Promise<void> {
  const results = await benchNeighbours(print);
  saveResults('neighbours', { settings: machine(), results });
}

async function replicas(): Promise<void> {
  const results = await benchReplicas(print);
  saveResults('replicas', { settings: machine(), results });
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
