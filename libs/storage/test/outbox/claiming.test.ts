import test from 'ava';
import { IdClock } from '@roster/process';
import { postgresTable } from '../../outbox/postgres-table.js';
import { outboxStatements } from '../../outbox/statements.js';
import type { Acknowledged, Swept } from '../../outbox/table.js';
import type { OutboxRow } from '../../index.js';
import { dying, newEvents, query, run } from './running-outbox.js';

const start = '00000000-0000-0000-0000-000000000000';
const acknowledge = (events: readonly OutboxRow[]): Acknowledged[] =>
  events.map((row, index) => ({ row, sequence: index + 1 }));

test('claims visit all workspaces in turn, which share the rows of a claim, and claim no row twice', async (t) => {
  const never = { sweepAfterMs: 3_600_000, sweepEveryMs: 3_600_000 };
  const { database, outbox } = await run(t, never);
  const ids = new IdClock();
  const workspaces = Array.from({ length: 5 }, () => ids.next());
  const [, b = '', c = '', d = '', e = ''] = workspaces;
  const add = (count: number, workspaceId: string) =>
    database.transaction((session) => outbox.add(dying(session), newEvents(count, workspaceId)));
  for (const [index, count] of [5, 1, 3, 1].entries()) await add(count, workspaces[index]!);
  await query(database, `update probe.outbox set created_at = now() - interval '10 minutes'`);
  await add(1, e);
  // Its comparison with the stream would remove the marks, whose sequences hold no events.
  await outbox.stop();

  const table = postgresTable(database, outboxStatements('probe'));
  const { epoch } = await table.checkpoint();
  /** The result, and the workspaces of the claimed events, by letter. */
  const claim = async (after: string, publish = async (of: OutboxRow[]) => acknowledge(of)) => {
    let claimed = '';
    const limits = { olderThanMs: 60_000, rowsMax: 4, workspacesMax: 2, bytesMax: 1000 };
    const swept = await table.sweep({ ...limits, after, epoch }, (events) => {
      const countOf = (id: string) => events.filter(({ workspaceId }) => workspaceId === id).length;
      claimed = workspaces.map((id, index) => 'abcde'[index]!.repeat(countOf(id))).join('');
      return publish([...events]);
    });
    return { ...swept, of: claimed };
  };
  const swept = (of: string, reached: string | undefined, marked = of.length): object =>
    ({ of, claimed: of.length, marked, events: marked, reached }) satisfies Swept & { of: string };

  t.deepEqual(await claim(start), swept('aab', b));
  t.deepEqual(await claim(b), swept('ccd', d));
  t.deepEqual(await claim(d), swept('', undefined), 'the event of e is not old enough');
  t.deepEqual(await claim(start), swept('aac', c), 'b has no event left');
  const beside = await claim(start, async (events) => {
    t.deepEqual(await claim(start), swept('', e), 'the event of a is locked');
    return acknowledge(events).slice(events.length);
  });
  t.deepEqual(beside, swept('a', e, 0), 'NATS did not acknowledge it');
  t.deepEqual(await claim(start), swept('a', e));
});

test('a claim ends for a workspace at its share of the bytes, and has one row of each at least', async (t) => {
  const never = { sweepAfterMs: 3_600_000, sweepEveryMs: 3_600_000 };
  const { database, outbox } = await run(t, never);
  const details = JSON.stringify({ contact: { tags: ['x'.repeat(1000)] } });
  const ids = new IdClock();
  const [large, other] = [ids.next(), ids.next()];
  const events = [
    ...newEvents(5, large).map((event) => ({ ...event, details })),
    ...newEvents(5, other),
  ];
  await database.transaction((session) => outbox.add(dying(session), events));
  await query(database, `update probe.outbox set created_at = now() - interval '10 minutes'`);
  await outbox.stop();
  const table = postgresTable(database, outboxStatements('probe'));
  const { epoch } = await table.checkpoint();
  const claim = async (bytesMax: number) => {
    const claimed: string[] = [];
    const limits = { olderThanMs: 60_000, rowsMax: 10, workspacesMax: 10, bytesMax };
    await table.sweep({ ...limits, after: start, epoch }, async (rows) => {
      claimed.push(...rows.map(({ workspaceId }) => workspaceId));
      return [];
    });
    return [large, other].map((id) => claimed.filter((each) => each === id).length);
  };
  const bytes = events[0]!.body.length + details.length;
  t.deepEqual(await claim(2 * 5 * bytes), [5, 5]);
  t.deepEqual(await claim(2 * 2 * bytes), [2, 5]);
  t.deepEqual(await claim(1), [1, 1]);
});
