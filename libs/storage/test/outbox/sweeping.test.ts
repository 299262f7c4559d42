import { encodeId, eventDetailsBytesMax, eventStream } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { outboxStatements } from '../../outbox/statements.js';
import type { OutboxRow } from '../../index.js';
import {
  dying,
  newEvents,
  otherWorkspaceId,
  outsideIds,
  query,
  run,
  streamed,
  unpublished,
} from './running-outbox.js';

test('the sweeper publishes events left by a crash, once, also with two sweepers', async (t) => {
  const { bus, database, outbox, open } = await run(t);
  await open();
  const events = newEvents(700);
  await database.transaction((session) => outbox.add(dying(session), events));
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds(events));
});

test('an event of which no message can be made does not keep the others from being published', async (t) => {
  const { bus, database, outbox } = await run(t);
  const [unusable, ...others] = newEvents(5) as [OutboxRow, ...OutboxRow[]];
  const details = 'x'.repeat(eventDetailsBytesMax + 1);
  const events = [{ ...unusable, details }, ...others];
  await database.transaction((session) => outbox.add(dying(session), events));
  await eventually(async () => (await unpublished(database)) === 1);
  t.deepEqual((await streamed(bus)).toSorted(), outsideIds(others));
});

test('events committed while NATS is unreachable are published after reconnection', async (t) => {
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

test('the sweeper publishes events left by a crash with their traces', async (t) => {
  const { bus, database, outbox } = await run(t);
  const traced = newEvents(3).map((event, n) => ({
    ...event,
    traces: n === 1 ? [] : [{ traceparent: `00-${'a'.repeat(31)}${n}-${'b'.repeat(16)}-01` }],
  }));
  await database.transaction((session) => outbox.add(dying(session), traced));
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  const manager = await bus.link.nats.jetstreamManager();
  const found = new Map<string, string>();
  for (let seq = 1; seq <= traced.length; seq += 1) {
    const { header } = await manager.streams.getMessage(eventStream, { seq });
    found.set(header.get('Nats-Msg-Id'), header.get('Roster-Trace'));
  }
  t.deepEqual(
    traced.map(({ id }) => found.get(encodeId('event', id))),
    traced.map(({ traces: [trace] }) => (trace ? `* ${trace.traceparent} -` : '')),
  );
});

test('does not mark events whose outcome is unknown because the connection was lost', async (t) => {
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

test('events of a workspace do not wait for all older ones of another', async (t) => {
  const { nats, bus, database, outbox } = await run(t);
  nats.kill('SIGKILL');
  await eventually(() => !bus.link.up);
  const many = newEvents(4000);
  const few = newEvents(40, otherWorkspaceId);
  await database.transaction((session) => outbox.add(session, many));
  await database.transaction((session) => outbox.add(session, few));
  await nats.restart();
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  const order = await streamed(bus);
  t.deepEqual(order.toSorted(), outsideIds([...many, ...few]));
  const own = new Set(few.map(({ id }) => encodeId('event', id)));
  const positions = order.flatMap((id, at) => (own.has(id) ? [at] : []));
  t.true(positions.at(-1)! < 3000, `the last event is at position ${positions.at(-1)}`);
  t.deepEqual(
    positions.map((at) => order[at]),
    few.map(({ id }) => encodeId('event', id)),
    'in their order',
  );
});

test('events that a dead process left of a workspace do not wait for all older ones of another', async (t) => {
  const { bus, database, outbox } = await run(t);
  const many = newEvents(4000);
  const few = newEvents(40, otherWorkspaceId);
  await database.transaction(async (session) => {
    // Committed together: the sweeper finds all of them.
    await outbox.add(dying(session), many);
    await outbox.add(dying(session), few);
  });
  await eventually(async () => (await unpublished(database)) === 0, { timeoutMs: 20_000 });
  const order = await streamed(bus);
  const own = new Set(few.map(({ id }) => encodeId('event', id)));
  const last = order.findLastIndex((id) => own.has(id));
  t.true(last < 1000, `the last event is at position ${last}`);
});

for (const statistics of ['without statistics', 'with statistics'])
  test(`reads only the unpublished rows that are claimed, and one of each other workspace, ${statistics}`, async (t) => {
    const { database, outbox } = await run(t, { sweepAfterMs: 3_600_000, sweepEveryMs: 50 });
    const few = newEvents(60, otherWorkspaceId);
    const published = newEvents(5000);
    await database.transaction((session) => outbox.add(dying(session), published));
    await query(database, 'update probe.outbox set stream_seq = 1');
    await database.transaction((session) => outbox.add(dying(session), newEvents(5000)));
    await database.transaction((session) => outbox.add(dying(session), few));
    if (statistics === 'with statistics') await query(database, 'analyze probe.outbox');
    const plan = await database.transaction((session) =>
      session.query<{ 'QUERY PLAN': string }>(
        {
          name: 'test.plan',
          text: `explain (analyze, costs off) ${outboxStatements('probe').claim.text}`,
        },
        [0, 80, '00000000-0000-0000-0000-000000000000', 500, 8 * 1024 * 1024],
      ),
    );
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    t.regex(lines, /outbox_unpublished_by_workspace/);
    t.notRegex(lines, /Seq Scan|Sort|Bitmap|outbox_pkey|outbox_unpublished on/);
    const scans = [...lines.matchAll(/on outbox.* rows=([\d.]+) loops=(\d+)/g)];
    const read = scans.reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);
    t.true(read <= 80 + 2, lines);
  });
