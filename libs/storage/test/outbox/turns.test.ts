import test from 'ava';
import { OutboxRelay, type SweepLimits } from '../../outbox/relay.js';
import type { OutboxStream } from '../../outbox/positions.js';
import type { OutboxTable } from '../../outbox/table.js';
import type { OutboxRow } from '../../index.js';
import { ModelTable } from './model/model-table.js';

/** Events named `a1`, `a2`, … of a workspace. */
const eventsOf = (workspace: 'a' | 'b' | 'c', count: number): OutboxRow[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `00000000-0000-7000-8000-${workspace}${String(n).padStart(11, '0')}`,
    workspaceId: `00000000-0000-7000-8000-00000000000${workspace}`,
    kind: 'CONTACT_CREATED',
    body: `${workspace}${n + 1}`,
  }));

/** A relay over a table with the events, and the names of those that it publishes. */
function relayOver(
  events: readonly OutboxRow[],
  sweepLimits: SweepLimits,
  isRefused = (_name: string) => false,
) {
  const table = new ModelTable();
  table.insert(events);
  const stream = { created: '', first: 1, last: 0, lastTime: '', incarnation: 'one' };
  table.finish(0, { incarnation: stream.incarnation, positions: [] });
  const published: string[] = [];
  const relay = new OutboxRelay({
    table: {
      checkpoint: async () => table.checkpoint(),
      advance: async () => undefined,
      sweep: async (claim, publish) => {
        const { events, reached } = table.lock(claim, table);
        const acknowledged = await publish(events);
        table.mark(acknowledged.map(({ row: { id }, sequence }) => ({ id, sequence })));
        table.unlock(table);
        const marked = acknowledged.length;
        return { claimed: events.length, marked, events: marked, reached };
      },
    } as Partial<OutboxTable> as OutboxTable,
    stream: {
      tail: async () => stream,
      publish: async ({ body }) => {
        if (isRefused(body)) throw new Error('refused');
        return published.push(body);
      },
    } as OutboxStream,
    log: { debug: () => undefined, warn: () => undefined },
    sweepAfterMs: 0,
    sweepLimits,
    onPublished: () => undefined,
  });
  return { relay, published };
}

test('workspaces take turns, whichever process left their events', async (t) => {
  const [a, b, c] = [eventsOf('a', 6), eventsOf('b', 3), eventsOf('c', 1)];
  const { relay, published } = relayOver([...a, ...b, ...c], {
    ...{ rowsMax: 4, workspacesMax: 2, bytesMax: 1 },
  });
  await relay.reconcile();
  await relay.sweep(() => true);
  t.is(published.join(' '), 'a1 a2 b1 b2 c1 a3 a4 b3 a5 a6');
});

test('a workspace whose events are refused has its turn, and then the others', async (t) => {
  const [a, b] = [eventsOf('a', 3), eventsOf('b', 3)];
  const limits = { rowsMax: 2, workspacesMax: 1, bytesMax: 1 };
  const { relay, published } = relayOver([...a, ...b], limits, (name) => name.startsWith('a'));
  await relay.reconcile();
  await relay.sweep(() => true);
  t.deepEqual(published, []);
  await relay.sweep(() => true);
  t.deepEqual(published, ['b1', 'b2']);
});
