import { encodeId, eventStream } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { Database } from '../../index.js';
import {
  heldUp,
  newEvents,
  outsideIds,
  run,
  streamed,
  unpublished,
  workspaceId,
} from './running-outbox.js';

test('marks an event by its primary key, without scanning published rows', async (t) => {
  const { database, outbox } = await run(t);
  const texts = statementsOf(database);
  const events = newEvents(1);
  await database.transaction((session) => outbox.add(session, events));
  const mark = await eventually(() => {
    outbox.publish(events);
    return texts.get('outbox.mark');
  });
  const ten = mark
    .replaceAll(/\$\d::(\w+)\[\]/g, "array_fill(null::$1, '{10}')")
    .replace('$4', '1');
  const plan = await database.query<{ 'QUERY PLAN': string }>(
    { name: 'test.plan', text: `explain (costs off) ${ten}` },
    [],
  );
  const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
  t.regex(lines, /Index Scan using outbox_pkey/);
  t.notRegex(lines, /Seq Scan|Hash|Merge|published/);
});

/** Names of the statements sent from now on outside of transactions. */
function statementsOf(database: Database): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const query = database.query.bind(database);
  database.query = (statement, values) => {
    texts.set(statement.name, statement.text);
    return query(statement, values);
  };
  return texts;
}

test('publishes after the commit, once, with the bytes of the row, and records the sequence', async (t) => {
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

test('publishes no event of a transaction that is rolled back', async (t) => {
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

test('marks events that are acknowledged while a mark is running, without the sweeper', async (t) => {
  const { bus, database, outbox: former, open } = await run(t);
  // Its comparison with the stream ends: a new epoch would leave an event in flight to the sweeper.
  await former.stop();
  const [first, second] = [newEvents(1), newEvents(1)];
  const mark = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const held = heldUp(database, 'outbox.mark', () => {
    started.resolve();
    return mark.promise;
  });
  const outbox = await open({ database: held, sweepAfterMs: 3_600_000 });
  await database.transaction((session) => outbox.add(session, first));
  await started.promise;
  await database.transaction((session) => outbox.add(session, second));
  await eventually(async () => (await streamed(bus)).length === 2);
  mark.resolve();
  await eventually(async () => (await unpublished(database)) === 0);
  t.deepEqual(await streamed(bus), outsideIds([...first, ...second]));
});
