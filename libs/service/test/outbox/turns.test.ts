import test from 'ava';
import { OutboxRelay, type SweepLimits } from '../../outbox/relay.js';
import type { OutboxStream } from '../../outbox/stream.js';
import type { OutboxTable } from '../../outbox/table.js';
import type { OutboxEvent } from '../../storage.js';
import { ModelTable } from './model/model-table.js';

/** Events named `a1`, `a2`, … of a workspace. */
const eventsOf = (workspace: 'a' | 'b' | 'c', count: number): OutboxEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `00000000-0000-7000-8000-${workspace}${String(n).padStart(11, '0')}`,
    workspaceId: `00000000-0000-7000-8000-00000000000${workspace}`,
    kind: 'CONTACT_CREATED',
    body: `${workspace}${n + 1}`,
  }));

/** A relay over a table with the events, and the names of those that it publishes. */
function relayOver(events: readonly OutboxEvent[], sweepLimits: SweepLimits) {
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
        const acknowledged = await publish(table.lock(claim, table));
        table.mark(acknowledged.map(({ event: { id }, sequence }) => ({ id, sequence })));
        table.unlock(table);
        return acknowledged.length;
      },
    } as Partial<OutboxTable> as OutboxTable,
    stream: {
      tail: async () => stream,
      publish: async ({ body }) => published.push(body),
    } as OutboxStream,
    log: { debug: () => undefined, warn: () => undefined },
    sweepAfterMs: 0,
    sweepLimits,
    onPublished: () => undefined,
  });
  return { relay, published };
}

const limits = { rowsMax: 3, workspacesMax: 1, workspaceRowsMax: 2 };

test('workspaces take turns between claims of the oldest rows', async (t) => {
  const [a, b, c] = [eventsOf('a', 12), eventsOf('b', 3), eventsOf('c', 1)];
  const { relay, published } = relayOver([...a, ...b, ...c], limits);
  // The link is not open yet: they are left to the sweeper.
  relay.publish([...a, ...b, ...c]);
  await relay.reconcile();
  await relay.sweep(() => true);
  const order = 'a1 a2 a3 b1 b2 a4 a5 a6 c1 a7 a8 a9 b3 a10 a11 a12';
  t.is(published.join(' '), order);
});

test('rows that another process left are published in the order of their age', async (t) => {
  const [a, b] = [eventsOf('a', 6), eventsOf('b', 3)];
  const { relay, published } = relayOver([...a, ...b], limits);
  await relay.reconcile();
  await relay.sweep(() => true);
  t.is(published.join(' '), 'a1 a2 a3 a4 a5 a6 b1 b2 b3');
});
