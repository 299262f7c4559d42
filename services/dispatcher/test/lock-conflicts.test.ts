import { globSync, readFileSync } from 'node:fs';
import { Fault } from '@roster/contracts';
import type { Database, Session } from '@roster/storage';
import test, { type ExecutionContext } from 'ava';
import { Partitions } from '../queue/partitions.js';
import { dispatcherDatabase } from './dispatcher-database.js';
import { idsOfWorkspace, tasksOf, tasksOfAll, type Task } from './tasks.js';
import { insertQueued } from './queue/queued-deliveries.js';

const dayMs = 86_400_000;
const retentionDays = 30;

/** Modes of table locks, each with those that it conflicts with. */
const conflicting: Record<string, string[]> = {
  AccessShare: ['AccessExclusive'],
  RowShare: ['Exclusive', 'AccessExclusive'],
  RowExclusive: ['Share', 'ShareRowExclusive', 'Exclusive', 'AccessExclusive'],
  ShareUpdateExclusive: [
    ...['ShareUpdateExclusive', 'Share', 'ShareRowExclusive', 'Exclusive', 'AccessExclusive'],
  ],
};

interface TakenLock {
  /** The partitioned table of a partition, and the table of an index. */
  table: string;
  mode: string;
}

test('no two statements lock more than one table against each other', async (t) => {
  const { database, tasks, run } = await everyTask(t);
  const locks = new Map<string, TakenLock[]>();
  for (const [name, task] of Object.entries(tasks)) locks.set(name, await locksOf(database, task));
  const clashes = [...locks].flatMap(([one, own]) =>
    [...locks].flatMap(([other, others]) => {
      const tables = new Set(
        own
          .filter(({ table, mode }) =>
            others.some((lock) => lock.table === table && doConflict(mode, lock.mode)),
          )
          .map(({ table }) => table),
      );
      // Those that hold this lock wait for each other before they lock a table.
      if ([own, others].every((all) => all.some(({ table }) => table === 'partitions'))) return [];
      return tables.size > 1 ? [`${one} and ${other}: ${[...tables].join(', ')}`] : [];
    }),
  );
  t.deepEqual(clashes, []);
  t.deepEqual(
    statementsOfSource().filter((name) => !run.has(name)),
    [],
    'statements that no task of tasks.ts runs',
  );
});

test('statements that run while partitions are made and dropped do not deadlock', async (t) => {
  const { database, tasks } = await everyTask(t);
  const done = new AbortController();
  const repeat = async (task: Task) => {
    do await task(database);
    while (!done.signal.aborted);
  };
  const partitions = new Partitions(database, retentionDays);
  const make = async () => {
    for (let ago = 1; ago <= 32; ago += 1) await partitions.ensure(Date.now() - ago * dayMs);
    done.abort();
  };
  await t.notThrowsAsync(Promise.all([make(), ...Object.values(tasks).map(repeat)]));
});

const doConflict = (one: string, other: string): boolean =>
  conflicting[one]?.includes(other) ?? conflicting[other]?.includes(one) ?? true;

/** Everything that a dispatcher does, and the names of the statements that have run. */
async function everyTask(t: ExecutionContext) {
  const run = new Set<string>();
  const observe = (statement: string) => void run.add(statement);
  const database = await dispatcherDatabase(t, { poolMax: 12, observe });
  const partitions = new Partitions(database, retentionDays);
  await partitions.prepare();
  await partitions.ensure(Date.UTC(2026, 0, 1));
  const own = idsOfWorkspace();
  await insertQueued(database, own, [own.deliveryId]);
  const all = { ...tasksOf(own, partitions), ...tasksOfAll() };
  const tasks = Object.fromEntries(
    Object.entries(all).map(([name, task]) => [
      name,
      (session: Session) => orRefusal(task(session)),
    ]),
  );
  return { database, tasks, run };
}

/** A replay that is not there or has ended is refused after its statement. */
const orRefusal = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof Fault && ['not_found', 'conflict'].includes(error.code))) throw error;
  });

/** The locks that a task holds at its end, as other transactions see them: its new tables are not among them. */
async function locksOf(database: Database, task: Task): Promise<TakenLock[]> {
  let locks: TakenLock[] = [];
  const undone = new Error('rolled back');
  await database
    .transaction(async (session) => {
      const pid = { name: 'test.pid', text: 'select pg_backend_pid() as pid' };
      const [own] = await session.query<{ pid: number }>(pid, []);
      await task(session);
      locks = await database.query<TakenLock>(heldLocks, [own!.pid]);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return locks;
}

const heldLocks = {
  name: 'test.held-locks',
  text: `
    select distinct coalesce(pg_partition_root(r.oid), r.oid)::regclass::text as table,
      replace(l.mode, 'Lock', '') as mode
    from pg_locks l join pg_class c on c.oid = l.relation left join pg_index i on i.indexrelid = c.oid
      join pg_class r on r.oid = coalesce(i.indrelid, c.oid)
    where l.pid = $1 and l.granted and r.relnamespace = 'dispatcher'::regnamespace
    union all
    select 'partitions', 'advisory' from pg_locks
    where pid = $1 and locktype = 'advisory' and objid = (hashtext('roster:dispatcher:partitions')::bigint & 4294967295)::oid`,
};

/** Names of all statements, except of lists, whose names depend on their filters. */
function statementsOfSource(): string[] {
  const cwd = new URL('../../', import.meta.url);
  const exclude = ['dist', 'node_modules', 'test', 'migrations'];
  const files = globSync('**/*.ts', { cwd, exclude });
  const texts = files.map((file) => readFileSync(new URL(file, cwd), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/'(dispatcher\.[a-z-]+)',\n/g)].map(([, name = '']) => name),
  );
}
