import { createHash } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { connectBus, type Bus } from '@roster/bus';
import { encodeId, eventStream } from '@roster/contracts';
import { eventually, throwawayDatabase, throwawayNats, type ThrowawayNats } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { IdClock, openLog } from '@roster/process';
import {
  makeEvent,
  openDatabase,
  Outbox,
  type Database,
  type OutboxRow,
  type Session,
  type Statement,
} from '../../index.js';
import { outbox as outboxTable } from '../tables.js';

class CreateOutbox extends Migration {
  override up(): void {
    for (const statement of outboxTable) this.addSql(statement);
  }
}

export const log = openLog('test', 'silent');
export const stream = { replicas: 1, maxAgeSeconds: 3600 };
const ids = new IdClock();
export const workspaceId = ids.next();
export const otherWorkspaceId = ids.next();

type OutboxOptions = Parameters<typeof Outbox.open>[0];

export interface Running {
  nats: ThrowawayNats;
  bus: Bus;
  database: Database;
  outbox: Outbox;
  /** Opens one more outbox on the same table, like another process. */
  open: (
    options?: Partial<
      Pick<
        OutboxOptions,
        'database' | 'keepSeconds' | 'log' | 'publisher' | 'reconcileEveryMs' | 'sweepAfterMs'
      >
    >,
  ) => Promise<Outbox>;
}

/** An outbox with its own table and stream, stopped when the test ends. */
export async function run(
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
      // The process that a test wants to compare is the only one that does.
      reconcileEveryMs: 3_600_000,
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

export const newEvents = (count: number, workspace = workspaceId): OutboxRow[] =>
  Array.from({ length: count }, (_, n) => {
    const contact = {
      id: encodeId('contact', ids.next()),
      email: `${n}@example.com`,
      name: '',
      createdAt: '',
    };
    return makeEvent(ids, workspace, 'CONTACT_CREATED', { contact });
  });

/** `Nats-Msg-Id`s of the stream, in order. */
export async function streamed(bus: Bus): Promise<string[]> {
  const manager = await bus.link.nats.jetstreamManager({ checkAPI: false });
  // After a restart of NATS, JetStream may not answer at once.
  const { state } = await eventually(() => manager.streams.info(eventStream));
  const found: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(eventStream, { seq });
    found.push(message.header.get('Nats-Msg-Id'));
  }
  return found;
}

/** The session of a process that dies right after the commit: the event is not published. */
export const dying = (session: Session): Session => ({
  em: session.em,
  query: (statement, values) => session.query(statement, values),
  transaction: (work) => session.transaction(work),
  afterCommit: () => undefined,
});

export const outsideIds = (events: readonly OutboxRow[]) =>
  events.map(({ id }) => encodeId('event', id)).toSorted();

export const unpublished = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ count: string }>(
    {
      name: 'test.unpublished',
      text: 'select count(*) from probe.outbox where stream_seq is null',
    },
    [],
  );
  return Number(row!.count);
};

/** A statement outside of transactions, run after `before` has resolved. */
export const heldUp = (
  database: Database,
  name: string,
  before: () => Promise<unknown>,
): Database =>
  ({
    transaction: (work) => database.transaction(work),
    query: async <Row>(statement: Statement, values: readonly unknown[]) => {
      if (statement.name === name) await before();
      return database.query<Row>(statement, values);
    },
  }) as Pick<Database, 'query' | 'transaction'> as Database;

/** Runs one statement of a test. */
export const query = <Row>(database: Database, text: string): Promise<Row[]> => {
  // The name of a prepared statement identifies one text.
  const name = `test.${createHash('sha1').update(text).digest('hex')}`;
  return database.query<Row>({ name, text }, []);
};
