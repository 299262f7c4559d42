/** `npm run bench -- deliveries [--long] [--profile]`: the figures of this machine, as tables and under results/. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchDeliveries, type DeliveryResults, type Row } from './deliveries.js';

const directory = fileURLToPath(new URL('../../bench/results/', import.meta.url));
const benches: Record<string, typeof benchDeliveries> = { deliveries: benchDeliveries };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** 60 s for each sustained measurement instead of 20. */
    long: { type: 'boolean', default: false },
    /** Processor profiles of dispatcher, gateway and contacts, under profiles/. Costs some of the speed. */
    profile: { type: 'boolean', default: false },
  },
});
const bench = benches[positionals[0] ?? ''];
if (bench) {
  const seconds = values.long ? 60 : 20;
  const say = (line: string) => console.log(line);
  const results = await bench({ seconds, profile: values.profile, say });
  for (const [name, rows] of Object.entries(results) as [keyof DeliveryResults, Row[]][])
    say(`\n${name}\n${table(rows)}`);
  if (!values.profile) save(positionals[0]!, { machine: machine(), seconds, ...results });
} else {
  console.error(`Usage: npm run bench -- ${Object.keys(benches).join('|')} [--long] [--profile]`);
  process.exitCode = 2;
}
// The channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect();

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
