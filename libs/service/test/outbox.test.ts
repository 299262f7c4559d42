import { Migration } from '@mikro-orm/migrations';
import { connectBus, type Bus } from '@roster/bus';
import { encodeId, eventStream } from '@roster/contracts';
import { eventually, throwawayDatabase, throwawayNats, type ThrowawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { IdClock, openLog } from '../index.js';
import {
  makeEvent,
  openDatabase,
  Outbox,
  type Database,
  type OutboxEvent,
  type Session,
  type Statement,
} from '../storage.js';
import { outbox as outboxTable } from './fixtures/tables.js';

class CreateOutbox extends Migration {
  override up(): void {
    for (const statement of outboxTable) this.addSql(statement);
  }
}

const log = openLog('test', 'silent');
const stream = { replicas: 1, maxAgeSeconds: 3600 };
const ids = new IdClock();
const workspaceId = ids.next();

type OutboxOptions = Parameters<typeof Outbox.open>[0];

interface Running {
  nats: ThrowawayNats;
  bus: Bus;
  database: Database;
  outbox: Outbox;
  /** Opens one more outbox on the same table, as another process would. */
  open: (
    options?: Partial<Pick<OutboxOptions, 'database' | 'keepSeconds' | 'log' | 'sweepAfterMs'>>,
  ) => Promise<Outbox>;
}

async function run(
  t: ExecutionContext,
  fast = { sweepAfterMs: 50, sweepEveryMs: 50 },
): Promise<Running> {
  const [postgres, nats] = await Promise.all([throwawayDatabase(), throwawayNats()]);
  const database = await openDatabase({
    url: postgres.url,
    schema: 'probe',
    poolMax: 4,
    entities: [],
    migrations: [{ name: 'outbox', class: CreateOutbox }],
    log,
  });
  const bus = await connectBus({ servers: nats.url, name: 'test', log });
  const publisher = await bus.openEvents(stream);
  const opened: Outbox[] = [];
  const open: Running['open'] = async (options = {}) => {
    const outbox = await Outbox.open({
      schema: 'probe',
      database,
      publisher,
      link: bus.link,
      log,
      metrics: new Registry(),
      stream,
      ...fast,
      ...options,
    });
    opened.push(outbox);
    return outbox;
  };
  const outbox = await open();
  t.teardown(async () => {
    await Promise.all(opened.map((each) => each.stop()));
    await bus.close();
    await database.close();
    await Promise.all([postgres.drop(), nats.stop()]);
  });
  return { nats, bus, database, outbox, open };
}

const newEvents = (count: number): OutboxEvent[] =>
  Array.from({ length: count }, (_, n) => {
    const contact = {
      id: encodeId('contact', ids.next()),
      email: `${n}@example.com`,
      name: '',
      createdAt: '',
    };
    return makeEvent(ids, workspaceId, 'CONTACT_CREATED', { contact });
  });

/** `Nats-Msg-Id`s on the stream, in its order. */
async function streamed(bus: Bus): Promise<string[]> {
  const manager = await bus.link.nats.jetstreamManager();
  const { state } = await manager.streams.info(eventStream);
  const found: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(eventStream, { seq });
    found.push(message.header.get('Nats-Msg-Id'));
  }
  return found;
}

/** The session of a process that dies right after the commit: the row is all there is. */
const dying = (session: Session): Session => ({
  em: session.em,
  query: (statement, values) => session.query(statement, values),
  transaction: (work) => session.transaction(work),
  afterCommit: () => undefined,
});

const outsideIds = (events: readonly OutboxEvent[]) =>
  events.map(({ id }) => encodeId('event', id)).toSorted();

const unpublished = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ count: string }>(
    {
      name: 'test.unpublished',
      text: 'select count(*) from probe.outbox where stream_seq is null',
    },
    [],
  );
  return Number(row!.count);
};

test('notes by its key where an event is, never by a search among all that was published', async (t) => {
  const { database, outbox } = await run(t);
  const texts = statementsOf(database);
  const events = newEvents(1);
  await database.transaction((session) => outbox.add(session, events));
  const mark = await eventually(() => {
    outbox.publish(events);
    return texts.get('outbox.mark');
  });
  const ten = mark.replaceAll(/\$\d::(\w+)\[\]/g, "array_fill(null::$1, '{10}')");
  const plan = await database.query<{ 'QUERY PLAN': string }>(
    { name: 'test.plan', text: `explain (costs off) ${ten}` },
    [],
  );
  const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
  t.regex(lines, /Index Scan using outbox_pkey/);
  t.notRegex(lines, /Seq Scan|Hash|Merge|published/);
});

/** What is sent from now on outside of transactions, by the names of the statements. */
function statementsOf(database: Database): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const query = database.query.bind(database);
  database.query = (statement, values) => {
    texts.set(statement.name, statement.text);
    return query(statement, values);
  };
  return texts;
}

test('publishes after the commit, once, with the bytes of the row, and notes where', async (t) => {
  const { bus, database, outbox } = await run(t);
  const events = newEvents(300);
  await database.transaction((session) => outbox.add(session, events));
  await eventually(async () => (await unpublished(database)) === 0);
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds(events));
  const manager = await bus.link.nats.jetstreamManager();
  const rows = await database.query<{ id: string; body: string; stream_seq: string }>(
    { name: 'test.rows', text: 'select id, body, stream_seq from probe.outbox limit 5' },
    [],
  );
  for (const row of rows) {
    const message = await manager.streams.getMessage(eventStream, { seq: Number(row.stream_seq) });
    t.is(message.header.get('Nats-Msg-Id'), encodeId('event', row.id));
    t.is(message.string(), row.body);
    t.is(message.subject, `events.${encodeId('workspace', workspaceId)}.CONTACT_CREATED`);
  }
});

test('publishes nothing of a transaction that is rolled back', async (t) => {
  const { bus, database, outbox } = await run(t);
  await t.throwsAsync(
    database.transaction(async (session) => {
      await outbox.add(session, newEvents(3));
      throw new Error('no');
    }),
  );
  const kept = newEvents(1);
  await database.transaction((session) => outbox.add(session, kept));
  await eventually(async () => (await streamed(bus)).length > 0);
  t.deepEqual(await streamed(bus), outsideIds(kept));
});

test('the sweeper publishes what a crash left behind, even when two sweep', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  await open();
  const events = newEvents(700);
  await database.transaction((session) => outbox.add(dying(session), events));
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds(events));
});

test('what is committed while NATS is away is published when it is back', async (t) => {
  const { nats, bus, database, outbox } = await run(t);
  const before = newEvents(2);
  await database.transaction((session) => outbox.add(session, before));
  await eventually(async () => (await unpublished(database)) === 0);
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  const away = newEvents(5);
  await database.transaction((session) => outbox.add(session, away));
  t.is(await unpublished(database), 5);
  await nats.restart();
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  t.deepEqual([...new Set(await streamed(bus))].toSorted(), outsideIds([...before, ...away]));
});

test('publishes again what the stream has lost, also when others have written over the gap', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  const events = newEvents(40);
  await database.transaction((session) => outbox.add(session, events));
  await eventually(async () => (await unpublished(database)) === 0);
  // A power cut that took the last 25 messages, and another service that came back first.
  const manager = await bus.link.nats.jetstreamManager();
  const kept = (await streamed(bus)).slice(0, 15);
  await manager.streams.delete(eventStream);
  await outbox.stop();
  const publisher = await bus.openEvents(stream);
  const publish = (id: string) =>
    publisher.publish({
      id,
      workspaceId: encodeId('workspace', workspaceId),
      kind: 'CONTACT_CREATED',
      body: '{}',
    });
  for (const id of kept) await publish(id);
  for (let n = 0; n < 40; n += 1) await publish(`evt_foreign${n}`);
  await open();
  await eventually(
    async () => (await unpublished(database)) === 0 && (await streamed(bus)).length >= 80,
    {
      timeoutMs: 20_000,
    },
  );
  const found = await streamed(bus);
  t.deepEqual(
    outsideIds(events).filter((id) => !found.includes(id)),
    [],
  );
});

test('publishes nothing again that another process publishes while this one compares', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  const publish = async () => {
    await database.transaction((session) => outbox.add(session, newEvents(3)));
    await eventually(async () => (await unpublished(database)) === 0);
  };
  await publish();
  // Between the look at the newest event and what follows from it.
  let looked = false;
  const meanwhile = {
    transaction: (work) => database.transaction(work),
    query: async <Row>(statement: Statement, values: readonly unknown[]) => {
      const rows = await database.query<Row>(statement, values);
      if (statement.name !== 'outbox.newest' || looked) return rows;
      looked = true;
      await publish();
      return rows;
    },
  } as Pick<Database, 'query' | 'transaction'> as Database;
  const forgotten: number[] = [];
  const lostTail = { ...log, warn: () => forgotten.push(1) } as unknown as typeof log;
  await open({ database: meanwhile, log: lostTail });
  t.true(looked);
  t.deepEqual(forgotten, [], 'nothing is said to be lost');
  t.is((await streamed(bus)).length, 6);
});

test('compares with the stream only once a mark that is in flight is written', async (t) => {
  // What is lost is published again when its row is old enough, which is left to the end.
  const { nats, bus, database, outbox, open } = await run(t, {
    sweepAfterMs: 3_600_000,
    sweepEveryMs: 50,
  });
  await outbox.stop();
  const [marking, mayMark] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.teardown(mayMark.resolve);
  let looked = false;
  const slowToMark = {
    transaction: (work) => database.transaction(work),
    query: async <Row>(statement: Statement, values: readonly unknown[]) => {
      if (statement.name === 'outbox.newest') looked = true;
      if (statement.name === 'outbox.mark') {
        marking.resolve();
        await mayMark.promise;
      }
      return database.query<Row>(statement, values);
    },
  } as Pick<Database, 'query' | 'transaction'> as Database;
  const slow = await open({ database: slowToMark });
  const events = newEvents(1);
  await database.transaction((session) => slow.add(session, events));
  await marking.promise;
  looked = false;

  const manager = await bus.link.nats.jetstreamManager();
  await manager.streams.delete(eventStream);
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  await nats.restart();
  await eventually(() => bus.link.up);
  // Comparisons that began later are done.
  for (let count = 0; count < 3; count += 1) await open();
  t.false(looked);
  mayMark.resolve();
  await eventually(() => looked);
  await eventually(async () => (await unpublished(database)) === 1);
  await database.query(
    { name: 'test.age', text: `update probe.outbox set created_at = now() - interval '2 hours'` },
    [],
  );
  await eventually(async () => (await streamed(bus)).length > 0);
  t.deepEqual(await streamed(bus), outsideIds(events));
});

test('keeps published rows for their time and removes them then, and never an unpublished one', async (t) => {
  const { database, outbox } = await run(t, { sweepAfterMs: 3_600_000, sweepEveryMs: 50 });
  const published = newEvents(3);
  await database.transaction((session) => outbox.add(session, published));
  await eventually(async () => (await unpublished(database)) === 0);
  const stuck = newEvents(1);
  await database.transaction((session) => outbox.add(dying(session), stuck));
  const left = async () =>
    (
      await database.query<{ id: string }>(
        { name: 'test.left', text: 'select id from probe.outbox order by id' },
        [],
      )
    ).map(({ id }) => id);
  await outbox.purge(3600);
  t.is((await left()).length, 4);
  await database.query(
    { name: 'test.age', text: `update probe.outbox set created_at = now() - interval '25 hours'` },
    [],
  );
  await outbox.purge(86_400);
  t.deepEqual(
    await left(),
    stuck.map(({ id }) => id),
  );
});

test('published rows past their time are removed soon after a start', async (t) => {
  const { database, outbox, open } = await run(t);
  await database.transaction((session) => outbox.add(session, newEvents(3)));
  await eventually(async () => (await unpublished(database)) === 0);
  const count = async () =>
    (await database.query({ name: 'test.count', text: 'select 1 from probe.outbox' }, [])).length;
  // Of an hour: the outbox that runs already keeps them for a day.
  await database.query(
    { name: 'test.age', text: `update probe.outbox set created_at = now() - interval '2 hours'` },
    [],
  );
  t.is(await count(), 3);
  await open({ keepSeconds: 3600 });
  await eventually(async () => (await count()) === 0);
});

test('writes down nothing about messages that a lost connection leaves in doubt', async (t) => {
  const { nats, bus, database, outbox } = await run(t, { sweepAfterMs: 50, sweepEveryMs: 50 });
  const events = newEvents(200);
  await database.transaction((session) => outbox.add(session, events));
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  await nats.restart();
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  const found = new Set(await streamed(bus));
  t.deepEqual(
    outsideIds(events).filter((id) => !found.has(id)),
    [],
  );
});
