import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@roster/contracts';
import { readFormer } from '@roster/testing';
import test from 'ava';
import { root } from '../cluster/release.js';

for (const service of serviceNames) {
  test(`the former release finds its tables and columns in the schema ${service}, and can insert rows`, (t) => {
    const former = columnsIn(readFormer(`schemas/${service}.sql`));
    const file = join(root, `services/${service}/migrations/schema.sql`);
    t.true(former.size > 10);
    t.deepEqual(brokenColumns(former, columnsIn(readFileSync(file, 'utf8'))), []);
  });
}

test('finds a removed column, another type, a value that becomes required, and a new required column', (t) => {
  const table = (...columns: string[]) =>
    columnsIn(`create table x.things (\n  ${columns.join(',\n  ')}\n);\n`);
  const former = table('id uuid not null', 'name text');
  t.deepEqual(brokenColumns(former, table('id uuid not null', 'name text', 'more int')), []);
  t.deepEqual(brokenColumns(former, table('id uuid not null')), ['x.things.name was removed']);
  t.deepEqual(brokenColumns(former, table('id bigint not null', 'name text')), [
    'x.things.id is bigint, not uuid',
  ]);
  t.deepEqual(brokenColumns(former, table('id uuid not null', 'name text not null')), [
    'x.things.name is required',
  ]);
  const defaulted = `name text not null default ''::text`;
  t.deepEqual(brokenColumns(former, table('id uuid not null', defaulted, 'more int not null')), [
    'x.things.name is required',
    'x.things.more is required',
  ]);
});

interface Column {
  type: string;
  isNullable: boolean;
  hasDefault: boolean;
}

/** The columns in a recorded schema, by name, with that of the table. */
function columnsIn(schema: string): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const [, table, body] of schema.matchAll(/^create table (\S+) \(\n(.*?)^\)/gms)) {
    for (const [, name, definition] of body!.matchAll(/^ {2}(?!constraint )(\w+) (.*?),?$/gm)) {
      columns.set(`${table}.${name}`, {
        type: definition!.replace(/ (not null|default|generated) ?.*$/, ''),
        isNullable: !definition!.includes(' not null'),
        hasDefault: / (default|generated) /.test(definition!),
      });
    }
  }
  return columns;
}

/** Changes that statements of the former release do not expect. It may write null to the columns that were nullable. */
function brokenColumns(former: Map<string, Column>, now: Map<string, Column>): string[] {
  const changed = [...former].flatMap(([name, before]) => {
    const after = now.get(name);
    if (!after) return [`${name} was removed`];
    if (after.type !== before.type) return [`${name} is ${after.type}, not ${before.type}`];
    return before.isNullable && !after.isNullable ? [`${name} is required`] : [];
  });
  const tables = new Set([...former.keys()].map(tableOf));
  const added = [...now].filter(
    ([name, { isNullable, hasDefault }]) =>
      !former.has(name) && tables.has(tableOf(name)) && !isNullable && !hasDefault,
  );
  return [...changed, ...added.map(([name]) => `${name} is required`)];
}

const tableOf = (column: string): string => column.slice(0, column.lastIndexOf('.'));
