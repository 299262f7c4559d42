import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Migration } from '@mikro-orm/migrations';
import { sqlOf, type SchemaMigration } from '@roster/storage';
import { compareRecorded, readFormer } from '@roster/testing';
import test from 'ava';

import { root } from '../home.js';
import { migrations } from '../database/with-database.js';
import { breakingStatements } from './breaking-statements.js';

/** SHA-256 of the SQL of each migration, by service and name, in their order. */
type Recorded = Record<string, Record<string, string>>;

const recordFile = join(root, 'deploy/local/test/migrations.sha256.json');

test.serial('the SQL and the order of all migrations match their recorded hashes', async (t) => {
  const digests: Recorded = {};
  for (const [service, all] of Object.entries(migrations)) {
    const sent = all.map(async (step) => [step.name, await digestOf(step)] as const);
    digests[service] = Object.fromEntries(await Promise.all(sent));
  }
  compareRecorded(t, recordFile, `${JSON.stringify(digests, undefined, 2)}\n`);
});

test.serial('the former release runs on the schemas of this one', async (t) => {
  const former = JSON.parse(readFormer('migrations.sha256.json')) as Recorded;
  const recorded = JSON.parse(readFileSync(recordFile, 'utf8')) as Recorded;
  for (const [service, all] of Object.entries(migrations)) {
    const before = Object.entries(former[service] ?? {});
    t.true(before.length > 0, `the former release has migrations of ${service}`);
    t.deepEqual(
      Object.entries(recorded[service] ?? {}).slice(0, before.length),
      before,
      'released migrations are unchanged, in their order',
    );
    const [released, added] = [all.slice(0, before.length), all.slice(before.length)];
    t.deepEqual(await breakingStatements(service, added, released), []);
    const known = released.map(({ name }) => name);
    for (const { name, requires } of added)
      t.true(
        requires === undefined || known.includes(requires),
        `${service}: ${name} requires ${requires}, without which the former release refuses the schema`,
      );
  }
});

test('statements that could break the former release are rejected', async (t) => {
  for (const statement of [
    'drop table x.things',
    'alter table x.things rename to others',
    'alter table x.things rename column a to b',
    'alter table x.things drop column a',
    'ALTER TABLE "x"."things"\n  DROP COLUMN a',
    'alter table x.things add column a text, drop column b',
    'alter table x.things alter column a set not null',
    'alter table x.things alter column a type bigint',
    'alter table x.things alter column a set data type bigint',
    'alter table x.things add column a text not null',
    'alter table x.things add column a text unique',
    'alter table x.things add column a uuid default gen_random_uuid()',
    `alter table x.things add check (a <> '')`,
    'alter table x.things add constraint one unique (a)',
    'alter table x.things drop constraint one',
    'alter table x.things alter column a drop not null',
    'alter schema x rename to y',
    'create unique index one on x.things (a)',
    'create index one on x.things (a)',
    'create trigger one after insert on x.things for each row execute function x.f()',
    'create or replace function x.f() returns int language sql return 1',
    'drop index x.one',
    'drop function x.f(int)',
    'update x.things set a = b',
    'truncate x.things',
    'revoke all on x.things from public',
    'do $$ begin drop table x.things; end $$',
    'call x.p()',
    'drop procedure x.p()',
  ])
    t.is((await breakingStatements('x', [step(statement)])).length, 1, statement);
});

test('statements that do not affect the former release are accepted', async (t) => {
  for (const statement of [
    'create table x.things (id int primary key, a text unique)',
    'create table x.others (id int); ',
    `alter table x.things add column a text, add column b text not null default 'a, (b'`,
    'alter table x.things add column a timestamptz not null default now()',
    'alter table x.things add column a numeric(10, 2) not null default 0',
    'alter table x.things alter column a set default 1',
    'alter table x.things set (fillfactor = 70)',
    'alter table x.things alter column a set (n_distinct = 1)',
    'analyze x.things (a)',
    'create function x.f() returns int language sql return 1',
    'create or replace procedure x.p() language plpgsql as $$ begin end $$',
    'create index if not exists one on only x.things (a)',
    `comment on table x.things is 'drop table'`,
  ])
    t.deepEqual(await breakingStatements('x', [step(statement)]), [], statement);
});

test('an index is built concurrently after an invalid index of an interrupted build is dropped', async (t) => {
  const drop = 'drop index concurrently if exists x.one';
  const build = 'create index concurrently one on x.things (a)';
  t.deepEqual(await breakingStatements('x', [step(drop, build)]), []);
  t.deepEqual(
    await breakingStatements('x', [step('DROP INDEX CONCURRENTLY IF EXISTS "x"."one"', build)]),
    [],
  );
  for (const statements of [
    [build],
    [build, drop],
    ['drop index concurrently x.one', build],
    ['drop index if exists x.one', build],
    ['drop index concurrently if exists one', build],
    ['drop index concurrently if exists x.two', build],
    [drop, 'create index concurrently on x.things (a)'],
    [drop, 'create index concurrently if not exists one on x.things (a)'],
  ]) {
    for (const requires of [undefined, 'before']) {
      const migration = { ...step(...statements), ...(requires && { requires }) };
      const problems = await breakingStatements('x', [migration]);
      t.true(
        problems.some((problem) => problem.includes('invalid index')),
        statements.join('; '),
      );
    }
  }
  const [problem] = await breakingStatements('x', [
    step(drop, 'create unique index concurrently one on x.things (a)'),
  ]);
  t.regex(problem!, /a unique index rejects/);
  const unique = 'create unique index concurrently one on x.things (a, b) where b is not null';
  const dropped = 'drop index concurrently if exists x.one';
  t.deepEqual(
    await breakingStatements('x', [
      step('alter table x.things add column if not exists b text', dropped, unique),
    ]),
    [],
    'the former release does not write the new column',
  );
  t.is((await breakingStatements('x', [step(dropped, unique)])).length, 1);
});

test('an index of the former release cannot be dropped and rebuilt', async (t) => {
  const rebuild = step(
    'drop index concurrently if exists x.one',
    'create index concurrently one on x.things (b)',
  );
  const released = [step('create unique index one on x.things (a)')];
  t.is((await breakingStatements('x', [rebuild], released)).length, 1);
});

test('statements on a table that a new migration creates are accepted', async (t) => {
  const steps = [
    step('create table x.things (id int)'),
    step(
      'create unique index one on x.things (id)',
      'alter table x.things alter column id set not null',
    ),
    step('alter table x.others alter column id set not null'),
  ];
  const problems = await breakingStatements('x', steps);
  t.is(problems.length, 1);
  t.regex(problems[0]!, /x\.others/);
});

test('a new column may be filled, and no other', async (t) => {
  const add = 'alter table x.things add column a int';
  const problemsOf = (update: string) => breakingStatements('x', [step(add, update)]);
  t.deepEqual(await problemsOf('update x.things set a = 1 where b'), []);
  for (const update of ['set b = 1', 'set a = 1, b = 2'])
    t.is((await problemsOf(`update x.things ${update}`)).length, 1, update);
  t.is((await problemsOf('update x.others set a = 1')).length, 1);
});

test('a migration that declares the migration a release must include is accepted', async (t) => {
  const drop = step('alter table x.things drop column a');
  t.deepEqual(await breakingStatements('x', [{ ...drop, requires: 'before' }]), []);
});

function step(...statements: string[]) {
  return {
    name: 'step',
    class: class extends Migration {
      override up(): void {
        for (const statement of statements) this.addSql(statement);
      }
    },
  };
}

async function digestOf(migration: SchemaMigration): Promise<string> {
  const sent = JSON.stringify(await sqlOf(migration));
  return createHash('sha256').update(sent).digest('hex');
}
