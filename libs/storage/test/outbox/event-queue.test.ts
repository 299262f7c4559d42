import test from 'ava';
import { EventQueue } from '../../outbox/event-queue.js';
import type { OutboxRow } from '../../index.js';

const event = (workspaceId: string, n: number): OutboxRow => ({
  id: `${workspaceId}${n}`,
  workspaceId,
  kind: 'CONTACT_CREATED',
  body: '{}',
});

const taken = (queue: EventQueue, count: number) =>
  Array.from({ length: count }, () => queue.take()?.id);

test('workspaces take turns, and the events of each keep their order', (t) => {
  const queue = new EventQueue();
  for (let n = 1; n <= 4; n += 1) queue.add(event('a', n));
  queue.add(event('b', 1));
  t.deepEqual(taken(queue, 2), ['a1', 'b1']);
  queue.add(event('c', 1));
  queue.add(event('b', 2));
  t.deepEqual(taken(queue, 6), ['c1', 'b2', 'a2', 'a3', 'a4', undefined]);
  t.is(queue.length, 0);
});

test('skips workspaces that have no turn, which keep their places', (t) => {
  const queue = new EventQueue();
  for (const workspaceId of ['a', 'b', 'c'])
    for (let n = 1; n <= 2; n += 1) queue.add(event(workspaceId, n));
  const without = (skipped: string) => queue.take((workspaceId) => workspaceId !== skipped)?.id;
  t.deepEqual(['a', 'a', 'b', 'c'].map(without), ['b1', 'c1', 'a1', 'b2']);
  t.is(without('c'), 'a2');
  t.is(without('c'), undefined);
  t.deepEqual(taken(queue, 2), ['c2', undefined]);
});

test('is bounded, and one workspace leaves room for others', (t) => {
  const queue = new EventQueue();
  const fill = (workspaceId: string) => {
    let n = 0;
    while (queue.add(event(workspaceId, n))) n += 1;
    return n;
  };
  t.is(fill('a'), 8750);
  t.is(fill('b'), 1250);
  t.is(fill('c'), 0);
  queue.clear();
  t.is(queue.length, 0);
  t.is(queue.take(), undefined);
  t.is(fill('b'), 8750);
});

test('details are bounded by their size, and one workspace leaves room for others', (t) => {
  const queue = new EventQueue();
  const large = (workspaceId: string, n: number): OutboxRow => ({
    ...event(workspaceId, n),
    details: 'x'.repeat(1024 * 1024),
  });
  const fill = (workspaceId: string) => {
    let n = 0;
    while (queue.add(large(workspaceId, n))) n += 1;
    return n;
  };
  t.is(fill('a'), 28);
  t.is(fill('b'), 4);
  t.true(queue.add(event('a', 100)));
  t.is(queue.take()?.workspaceId, 'a');
  t.is(fill('c'), 1);
  queue.clear();
  t.is(fill('b'), 28);
});
