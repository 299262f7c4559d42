import { encodeId, eventStream } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { Database, Outbox } from '../../index.js';
import {
  query,
  heldUp,
  log,
  newEvents,
  outsideIds,
  run,
  stream,
  streamed,
  unpublished,
  workspaceId,
  type Running,
} from './running-outbox.js';

/** Age at which lost events are published again: never, in these tests. */
const unswept = { sweepAfterMs: 3_600_000, sweepEveryMs: 50 };

const isCompared = async (database: Database): Promise<boolean> => {
  const finished =
    'select 1 from probe.outbox_checkpoint where epoch > 0 and compared_epoch = epoch';
  return (await query(database, finished)).length > 0;
};

/** Stops a process, and makes the next one compare. */
async function forceComparison(database: Database, running: Outbox): Promise<void> {
  await eventually(() => isCompared(database));
  await running.stop();
  await query(database, 'update probe.outbox_checkpoint set incarnation = null');
}

/** A log that counts the events reported as lost. */
function lossLog() {
  const losses: number[] = [];
  const warn = ({ events }: { events?: number }) => events !== undefined && losses.push(events);
  return { losses, log: { ...log, debug: () => undefined, warn } as unknown as typeof log };
}

/** Whether every row is marked with a sequence that holds its event. */
async function wrongMarks({ database, bus }: Running): Promise<string[]> {
  const publisher = await bus.openEvents(stream);
  const rows = await query<{ id: string; seq: string }>(
    database,
    'select id, stream_seq as seq from probe.outbox',
  );
  const held = await Promise.all(rows.map(({ seq }) => publisher.messageAt(Number(seq))));
  return rows.filter(({ id }, at) => held[at]?.id !== encodeId('event', id)).map(({ id }) => id);
}

test('publishes lost events again, also if other messages have their sequences now', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  const events = newEvents(40);
  await database.transaction((session) => outbox.add(session, events));
  await eventually(async () => (await unpublished(database)) === 0);
  // A power failure lost the last 25 messages, and another service reconnected first.
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

test('publishes again events that the stream lost while the link was up and this service published others', async (t) => {
  const running = await run(t);
  const { bus, database, outbox, open } = running;
  await outbox.stop();
  const publishing = await open({ reconcileEveryMs: 300 });
  const publish = async (count: number) => {
    const events = newEvents(count);
    await database.transaction((session) => publishing.add(session, events));
    await eventually(async () => (await unpublished(database)) === 0);
    return events;
  };
  const early = await publish(20);
  const manager = await bus.link.nats.jetstreamManager();
  await manager.streams.delete(eventStream);
  await bus.openEvents(stream);
  const late = await publish(60);
  await eventually(async () => (await streamed(bus)).length === 80);
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds([...early, ...late]));
  await eventually(async () => (await unpublished(database)) === 0);
  t.deepEqual(await wrongMarks(running), []);
});

test('removes only the marks of lost messages, however many rows are compared', async (t) => {
  const { database, outbox, open } = await run(t, unswept);
  await database.transaction((session) => outbox.add(session, newEvents(2500)));
  await eventually(async () => (await unpublished(database)) === 0);
  // As if 670 messages had been stored after the last one of the stream.
  await query(
    database,
    `update probe.outbox set stream_seq = stream_seq + 2500 where stream_seq > 2500 - 670`,
  );
  await forceComparison(database, outbox);
  const { losses, log: lossLogger } = lossLog();
  await open({ log: lossLogger });
  await eventually(() => losses.length > 0);
  t.deepEqual(losses, [670]);
  t.is(await unpublished(database), 670);
});

test('does not publish again events that another process publishes during the comparison', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  const publish = async (by: Outbox) => {
    await database.transaction((session) => by.add(session, newEvents(3)));
    await eventually(async () => (await unpublished(database)) === 0);
  };
  await publish(outbox);
  await forceComparison(database, outbox);
  let looked = false;
  const meanwhile = heldUp(database, 'outbox.marked', async () => {
    if (looked) return;
    looked = true;
    await publish(await open());
  });
  const { losses, log: lossLogger } = lossLog();
  await open({ database: meanwhile, log: lossLogger });
  await eventually(async () => looked && (await isCompared(database)));
  t.deepEqual(losses, [], 'no event is reported as lost');
  t.is((await streamed(bus)).length, 6);
});

test('does not compare while another process compares', async (t) => {
  const { database, outbox, open } = await run(t);
  await database.transaction((session) => outbox.add(session, newEvents(3)));
  await eventually(async () => (await unpublished(database)) === 0);
  await forceComparison(database, outbox);
  const [reading, mayRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.teardown(mayRead.resolve);
  const slow = heldUp(database, 'outbox.marked', () => {
    reading.resolve();
    return mayRead.promise;
  });
  await open({ database: slow });
  await reading.promise;
  let begun = false;
  const second = heldUp(database, 'outbox.marked', async () => void (begun = true));
  const other = await open({ database: second });
  const events = newEvents(1);
  await database.transaction((session) => other.add(session, events));
  await eventually(async () => (await unpublished(database)) === 0);
  t.false(begun, 'the second process publishes and does not compare');
});

test('refuses a mark that arrives after the comparison with the stream', async (t) => {
  const running = await run(t);
  const { nats, bus, database, outbox, open } = running;
  await outbox.stop();
  const [marking, mayMark] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.teardown(mayMark.resolve);
  const slowToMark = heldUp(database, 'outbox.mark', () => {
    marking.resolve();
    return mayMark.promise;
  });
  const slow = await open({ database: slowToMark, sweepAfterMs: 3_600_000 });
  const events = newEvents(5);
  await database.transaction((session) => slow.add(session, events));
  await marking.promise;
  // The events are too young for the sweeper for now.
  await query(database, `update probe.outbox set created_at = now() + interval '1 hour'`);

  const manager = await bus.link.nats.jetstreamManager();
  await manager.streams.delete(eventStream);
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  await nats.restart();
  await eventually(() => bus.link.up);
  // Compares, and publishes other events at the sequences of the lost ones.
  const fast = await open();
  const others = newEvents(5);
  await eventually(async () => {
    const checkpoint =
      'select 1 from probe.outbox_checkpoint where epoch > 1 and epoch = compared_epoch';
    return (await query(database, checkpoint)).length > 0;
  });
  await database.transaction((session) => fast.add(session, others));
  await eventually(async () => (await unpublished(database)) === 5);
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds(others));

  mayMark.resolve();
  await query(database, `update probe.outbox set created_at = now() - interval '1 minute'`);
  await eventually(async () => (await unpublished(database)) === 0);
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds([...events, ...others]));
  t.deepEqual(await wrongMarks(running), []);
});
