import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';
import type { ZodObject, ZodType } from 'zod';

import { schemas, serverNames } from './processes.js';

const root = join(import.meta.dirname, '../../../../..');

interface Row {
  names: string[];
  processes: string[];
  defaults: string[];
}

/** The rows of a table of variables. Only the README of the repository has the column “Processes”. */
function rowsOf(file: string, owner?: string): Row[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('| Variable | '));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const names = cells[1]!.split(', ').map((name) => name.replaceAll('`', ''));
    const processes = owner ?? cells[2]!;
    const defaults = cells[owner === undefined ? 3 : 2]!;
    return {
      names,
      processes: processes === 'all' ? serverNames : processes.split(', ').flatMap(processesOf),
      // An empty cell applies to all variables of the row.
      defaults: defaults === '' ? names.map(() => '') : defaults.split(', '),
    };
  });
}

const processesOf = (name: string): string[] =>
  name === 'services' ? serverNames.filter((server) => server !== 'gateway') : [name];

const tables = [
  ...rowsOf('README.md'),
  ...rowsOf('gateway/README.md', 'gateway'),
  ...rowsOf('services/dispatcher/README.md', 'dispatcher'),
];

test('every variable of a process is documented', (t) => {
  for (const process of serverNames) {
    const documented = tables
      .filter(({ processes }) => processes.includes(process))
      .flatMap(({ names }) => names);
    const read = Object.keys(schemas[process]!.shape);
    t.deepEqual(
      read.filter((name) => !documented.includes(name)),
      [],
      `variables of ${process} that no table documents`,
    );
    t.deepEqual(
      documented.filter((name) => !read.includes(name)),
      [],
      `documented variables that ${process} does not read`,
    );
  }
});

test('every documented default is that of the configuration', (t) => {
  for (const { names, processes, defaults } of tables)
    for (const process of processes)
      t.deepEqual(
        defaults,
        names.map((name) => defaultOf(schemas[process]!, name)),
        `${names.join(', ')} of ${process}`,
      );
});

/** A default as the tables write it. An optional variable without a default has an empty cell. */
function defaultOf(schema: ZodObject, name: string): string {
  const parsed = (schema.shape[name] as ZodType | undefined)?.safeParse(undefined);
  if (!parsed?.success) return 'required';
  const value = parsed.data as number[] | string | number | boolean | undefined;
  return Array.isArray(value) ? value.join(',') || 'none' : String(value ?? '');
}
