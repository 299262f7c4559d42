/** A session of a service's database, within a transaction. */
interface SqlSession<Self> {
  readonly em: { execute<T>(sql: string): Promise<T> };
  transaction<T>(work: (session: Self) => Promise<T>): Promise<T>;
}

interface Options<Session> {
  /** The tables that grow, with their schema. */
  tables: readonly string[];
  /** Tasks to measure. Each runs in a savepoint that is rolled back. */
  tasks: Readonly<Record<string, (session: Session) => Promise<unknown>>>;
  /** Inserts many rows. */
  grow: () => Promise<unknown>;
  /** Whether statistics of the almost empty tables exist, or none yet, as in a new database. Default: true. */
  analyzed?: boolean;
}

/**
 * From its sixth execution on, PostgreSQL uses a generic plan for a prepared statement if its estimated cost is not higher.
 * The estimate assumes ten calls per batch.
 */
const executions = 8;

/**
 * Plans the statements of all tasks for almost empty tables, fills the tables without collecting statistics, and returns how
 * many index entries and rows the scans of each task then return. Everything runs in one transaction, so that no statistics
 * are collected in between.
 */
export async function entriesReadAfterImport<Session extends SqlSession<Session>>(
  session: Session,
  { tables, tasks, grow, analyzed = true }: Options<Session>,
): Promise<Record<string, number>> {
  if (analyzed) await session.em.execute(`analyze ${tables.join(', ')}`);
  for (const task of Object.values(tasks))
    for (let n = 0; n < executions; n += 1) await rolledBack(session, task);
  await grow();
  // The connection does so every few seconds: see `planByKey`.
  await session.em.execute('discard plans');
  const read: Record<string, number> = {};
  for (const [name, task] of Object.entries(tasks))
    await rolledBack(session, async (inner) => {
      const before = await entriesRead(inner, tables);
      await task(inner);
      read[name] = (await entriesRead(inner, tables)) - before;
    });
  return read;
}

async function rolledBack<Session extends SqlSession<Session>>(
  session: Session,
  work: (inner: Session) => Promise<unknown>,
): Promise<void> {
  const rollback = new Error('rolled back');
  await session
    .transaction(async (inner) => {
      await work(inner);
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
}

/** Number of entries that scans of the tables, their partitions and indexes have returned in this transaction. */
async function entriesRead<Session extends SqlSession<Session>>(
  { em }: Session,
  tables: readonly string[],
): Promise<number> {
  const names = tables.map((table) => `'${table}'::regclass::oid`).join(', ');
  const [row] = await em.execute<{ entries: number }[]>(`
    with tables as (
      select unnest(array[${names}]) as id
      union
      select relid from unnest(array[${names}]) as parent, pg_partition_tree(parent)
    ), relations as (
      select id from tables union all select indexrelid from pg_index join tables on indrelid = id
    )
    select sum(pg_stat_get_xact_tuples_returned(id))::int as entries from relations`);
  return row!.entries;
}
