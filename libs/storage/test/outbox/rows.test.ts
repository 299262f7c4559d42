import { parseTraces, type EventTrace } from '@roster/bus';
import { eventMessageBytesMax, splitEvents } from '@roster/contracts';
import { startTracing } from '@roster/telemetry';
import { eventually } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import {
  countOf,
  groupedRows,
  messageOf,
  rowBytesMax,
  rowsOf,
  tracesOf,
} from '../../outbox/event.js';
import type { OutboxRow } from '../../index.js';
import { query, run } from './running-outbox.js';

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const eventOf = (n: number, workspace: number, body: string, text: string | null): OutboxRow => {
  const details = text === null ? null : JSON.stringify({ contact: { details: text } });
  const id = uuid(n);
  return {
    id,
    workspaceId: uuid(workspace),
    kind: 'CONTACT_CREATED',
    body: JSON.stringify({ body }),
    details,
  };
};

/** Tabs and line breaks, which JSON escapes, and characters of several bytes. */
const text = (max: number) =>
  fc
    .tuple(fc.constantFrom('a', '\t\n', 'é', '山', '🙂'), fc.integer({ min: 0, max }))
    .map(([character, count]) => character.repeat(count));

/** A body has the address and the name of a contact, which have at most 254 bytes and 256 characters. */
const body = text(510);

const trace = fc
  .tuple(fc.constantFrom('a', 'b'), fc.constantFrom({}, { tracestate: 'a=1,b=2' }))
  .map(([id, state]): EventTrace => ({
    traceparent: `00-${id.repeat(32)}-${id.repeat(16)}-01`,
    ...state,
  }));

const events = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      body,
      fc.option(text(3000)),
      fc.option(trace, { nil: undefined }),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((all) =>
    all.map(([workspace, of, details, cause], n) => ({
      ...eventOf(n, workspace, of, details),
      ...(cause && { traces: [cause] }),
    })),
  );

const sorted = (rows: readonly OutboxRow[]) =>
  rows
    .map(({ workspaceId, id, body, details = null }) => ({ workspaceId, id, body, details }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

test('a statement and the process divide the events of a statement into the same rows with the same traces, each small enough for a message', async (t) => {
  const options = { url: 'http://127.0.0.1:1', headers: {}, ratio: 1, resource: {} };
  t.teardown(await startTracing({ ...options, sampler: 'always_off', onDropped() {} }));
  const { database } = await run(t);
  const statement = {
    name: 'test.rows',
    text: `select workspace_id as "workspaceId", id, body, details, trace from (
      ${groupedRows('unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as e (workspace_id, event_id, body, details)', '$5', '$6::int')}
    ) grouped`,
  };
  const property = fc.asyncProperty(events, fc.constantFrom(1, rowBytesMax), async (all, max) => {
    const column = (name: keyof OutboxRow) => all.map((event) => event[name]);
    const causes = all.map((event) => event.traces?.[0] ?? {});
    const stored = await database.query<OutboxRow & { trace: string | null }>(statement, [
      ...[column('workspaceId'), column('id'), column('body'), column('details')],
      tracesOf(column('id') as string[], causes),
      max,
    ]);
    const rows = rowsOf(all, max);
    t.deepEqual(sorted(stored), sorted(rows));
    for (const row of rows) {
      const { trace } = stored.find(({ id }) => id === row.id)!;
      const traces = trace === null ? undefined : parseTraces(trace, countOf(row));
      t.deepEqual(traces, row.traces);
    }
    if (max === 1) t.is(rows.length, all.length);
    t.is(
      rows.map(countOf).reduce((sum, count) => sum + count),
      all.length,
    );
    for (const row of rows) {
      const { body } = messageOf(row);
      // A single event has its details in a header; its size is bounded by its contact.
      if (countOf(row) === 1) continue;
      t.true(Buffer.byteLength(body) < eventMessageBytesMax - 300);
      const carried = splitEvents(body);
      t.is(carried.length, countOf(row));
      t.is(carried[0]!.id, row.id);
    }
  });
  await fc.assert(property, { numRuns: 40 });
});

test('details that are too large for a message are reduced in a row of several events, too', (t) => {
  const [small, large] = [eventOf(1, 1, 'a', 'b'), eventOf(2, 1, 'a', '')];
  const properties = { city: 'x'.repeat(9000) };
  large.details = JSON.stringify({ contact: { tags: [], properties, status: 'subscribed' } });
  const [row] = rowsOf([small, large], rowBytesMax);
  const [first, second] = splitEvents(messageOf(row!).body);
  t.is(first!.details, small.details!);
  t.deepEqual(JSON.parse(second!.details!), {
    contact: { tags: [], status: 'subscribed' },
    omitted: ['contact.properties'],
  });
});

test('rows have one event each until processes of the former release are gone', async (t) => {
  const { database, open } = await run(t);
  await query(database, `update probe.outbox_checkpoint set batches_from = now() + interval '1 h'`);
  const outbox = await open({ reconcileEveryMs: 100 });
  t.is(outbox.rowBytesMax, 1);
  await query(database, `update probe.outbox_checkpoint set batches_from = now()`);
  await eventually(() => outbox.rowBytesMax === rowBytesMax);
});
