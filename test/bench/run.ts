/** `npm run bench`: the figures of this machine, as tables and under results/. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compare } from './compare/compare.js';
import { benchDeliveries, type DeliveryResults, type Row } from './deliveries.js';
import { jobs } from './jobs/jobs.js';

const directory = fileURLToPath(new URL('../../bench/results/', import.meta.url));
const say = (line: string) => console.log(line);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Deliveries: 60 s for each sustained measurement instead of 20. */
    long: { type: 'boolean', default: false },
    /** Processor profiles of the processes, under profiles/. Costs some of the speed. */
    profile: { type: 'boolean', default: false },
    /** A minute and a half instead of ten: fails when something is below half of what is expected. */
    quick: { type: 'boolean', default: false },
    /** In the large workspace. */
    contacts: { type: 'string', default: '1000000' },
  },
});
const unknown = positionals.filter((name) => name !== 'deliveries' && !Object.hasOwn(jobs, name));
if (unknown.length > 0) {
  console.error(
    `Usage: npm run bench -- [${Object.keys(jobs).join('|')}|deliveries …] [--quick] [--contacts <number>] [--profile] [--long]`,
  );
  process.exitCode = 2;
} else {
  if (positionals.includes('deliveries')) await deliveries();
  if (positionals.length === 0 || positionals.some((name) => name !== 'deliveries'))
    await comparison();
}
// The channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect();

async function comparison(): Promise<void> {
  const contacts = Number(values.contacts);
  const names = positionals.filter((name) => name !== 'deliveries');
  const results = await compare({ jobs: names, contacts, quick: values.quick, say });
  // A short look is no figure to keep.
  if (values.quick) return;
  for (const result of results) save(result.job, { machine: machine(), contacts, ...result });
}

async function deliveries(): Promise<void> {
  const seconds = values.long ? 60 : 20;
  const results = await benchDeliveries({ seconds, profile: values.profile, say });
  for (const [name, rows] of Object.entries(results) as [keyof DeliveryResults, Row[]][])
    say(`\n${name}\n${table(rows)}`);
  if (!values.profile) save('deliveries', { machine: machine(), seconds, ...results });
}

function save(name: string, results: object): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

function machine(): Row {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: directory.replace(/results\/$/, ''),
      encoding: 'utf8',
    }).trim();
  return {
    processor: cpus()[0]!.model,
    cores: cpus().length,
    'memory GiB': Math.round(totalmem() / 2 ** 30),
    node: process.version,
    commit: git('rev-parse', '--short', 'HEAD'),
    date: new Date().toISOString().slice(0, 10),
  };
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
