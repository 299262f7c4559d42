import { sqlOf, type SchemaMigration } from '@roster/storage';

/**
 * Statements in new migrations that could break processes of the former release, which run on the new schema during a
 * rollout and after a rollback. Only statements known to be harmless are accepted. A migration that declares with
 * `requires` which migration a release must include is also accepted, unless it could not run again after an
 * interruption.
 */
export async function breakingStatements(
  schema: string,
  migrations: readonly SchemaMigration[],
  released: readonly SchemaMigration[] = [],
): Promise<string[]> {
  const problems: string[] = [];
  const releasedIndexes = new Set(
    (await Promise.all(released.map(statementsOf))).flat().map(indexMadeBy),
  );
  // New objects are not used by the former release.
  const made = new Set<string>();
  for (const migration of migrations) {
    const statements = await statementsOf(migration);
    for (const [at, statement] of statements.entries()) {
      const created =
        /^create (?:(?:unlogged )?table (?:if not exists )?|function |or replace procedure )([\w."]+)/.exec(
          statement,
        );
      if (created) made.add(unquoted(created[1]!));
      const added = /^alter table ([\w."]+) add column (?:if not exists )?(\w+) /.exec(statement);
      if (added) made.add(`${unquoted(added[1]!)}.${added[2]}`);
      const next = statements[at + 1] ?? '';
      const rebuilds =
        isDropBeforeBuild(statement, next) && !releasedIndexes.has(indexMadeBy(next));
      const isHarmless = migration.requires !== undefined || rebuilds;
      const problem =
        unrepeatable(statement, statements[at - 1] ?? '') ??
        (isHarmless ? undefined : problemOf(statement, made));
      if (problem) problems.push(`${schema}: ${migration.name}: ${problem}: ${statement}`);
    }
  }
  return problems;
}

/** An interrupted build leaves an invalid index, which the migration must not accept when it runs again. */
function unrepeatable(statement: string, before: string): string | undefined {
  if (!/^create (unique )?index concurrently /.test(statement)) return undefined;
  if (isDropBeforeBuild(before, statement)) return undefined;
  return (
    'an interrupted build leaves an invalid index; write "drop index concurrently if exists <schema>.<index>" ' +
    'and then "create index concurrently <index>", without "if not exists"'
  );
}

const isDropBeforeBuild = (drop: string, build: string): boolean =>
  /^create (unique )?index concurrently (?!if not exists )/.test(build) &&
  unquoted(drop) === `drop index concurrently if exists ${indexMadeBy(build)}`;

/** The index name, qualified with the schema of its table. */
function indexMadeBy(statement: string): string | undefined {
  const shape =
    /^create (?:unique )?index (?:concurrently )?(?:if not exists )?(\w+) on (?:only )?(\w+)\./;
  const found = shape.exec(unquoted(statement));
  return found ? `${found[2]}.${found[1]}` : undefined;
}

async function statementsOf(migration: SchemaMigration): Promise<string[]> {
  const { statements } = await sqlOf(migration);
  return statements.map(plain);
}

const harmless = [
  /^create (unlogged )?table /,
  /^create (function|type|sequence|domain|view) /,
  /^create (schema|extension) if not exists /,
  // The former releases have none.
  /^create or replace procedure /,
  /^comment on /,
  /^grant /,
  /^insert into /,
  /^alter table [\w."]+ set \(/,
  /^alter type [\w."]+ add value /,
  /^analyze /,
];

function problemOf(statement: string, made: ReadonlySet<string>): string | undefined {
  const table = /^(?:alter table (?:if exists )?(?:only )?|.* on (?:only )?)([\w."]+)/.exec(
    statement,
  );
  const isNew = table !== null && made.has(unquoted(table[1]!));
  const routine = /^(?:drop function|drop procedure|call) ([\w."]+)/.exec(statement);
  if (routine && made.has(unquoted(routine[1]!))) return undefined;
  // The former release finds the rows by their IDs.
  if (/^update [\w."]+ c set email_key = /.test(statement)) return undefined;
  const filled = /^update ([\w."]+) set (\w+) = [^,]*$/.exec(statement);
  if (filled && made.has(`${unquoted(filled[1]!)}.${filled[2]}`)) return undefined;
  if (/^create (unique )?index /.test(statement)) {
    if (isNew) return undefined;
    const [, column] =
      /^create unique index concurrently .* where (\w+) is not null$/.exec(statement) ?? [];
    // The former release writes only nulls into a column that it does not know.
    if (column !== undefined && table && made.has(`${unquoted(table[1]!)}.${column}`))
      return undefined;
    if (statement.startsWith('create unique'))
      return 'the former release may write rows that a unique index rejects';
    // `on only`: of a partitioned table, without those of its partitions.
    if (/^create index (concurrently |if not exists \w+ on only )/.test(statement))
      return undefined;
    return 'the table is locked while the index is built; build it concurrently, in a migration that is not transactional';
  }
  if (isNew) return undefined;
  if (/^create (constraint )?trigger /.test(statement))
    return 'a trigger also runs for writes of the former release';
  if (harmless.some((shape) => shape.test(statement))) return undefined;
  const altered = /^alter table (?:if exists )?(?:only )?[\w."]+ (.*)$/.exec(statement);
  if (!altered) return 'it is not known to be harmless';
  return actions(altered[1]!)
    .map(problemOfAction)
    .find((problem) => problem !== undefined);
}

function problemOfAction(action: string): string | undefined {
  if (!action.startsWith('add column ')) {
    if (/^drop |^rename /.test(action)) return 'the former release may use it';
    if (/^alter column .* set (default |\()/.test(action)) return undefined;
    if (/^alter column .* drop not null$/.test(action)) return 'the former release may read a null';
    return 'the former release may write rows that the constraint rejects';
  }
  if (/ (unique|primary key|references|check)\b/.test(action))
    return 'the former release does not know the constraint';
  if (/ not null\b/.test(action) && !/ default /.test(action))
    return 'the former release writes no value for the column';
  if (/ default [^(]*\b(?!now\()\w+\(|\bserial\b|\bgenerated\b/.test(action))
    return 'the table is locked while every row is rewritten';
  return undefined;
}

/** Without comments, string literals and function bodies, in lower case, on one line. */
const plain = (sql: string): string =>
  sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, '$$')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();

const unquoted = (name: string): string => name.replaceAll('"', '');

/** The actions of an `alter table`. */
function actions(text: string): string[] {
  const all = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) all.push('');
    else all[all.length - 1] += character;
  }
  return all.map((action) => action.trim());
}
