import {
  encodeId,
  eventStream,
  uuidOf,
  type CallInputOf,
  type Operations,
} from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { readMax } from '../../operations/list-events.js';
import { idAt } from '../id-at.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher, type RunningDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf } from './caller.js';

const ids = new IdClock();
const encoded = ({ id }: { id: string }): string => encodeId('event', id);

/** Publishes events one after another. Returns their encoded IDs. */
async function publish(running: RunningDispatcher, count: number): Promise<string[]> {
  const published: string[] = [];
  while (published.length < count) published.push(encoded(await running.publish()));
  return published;
}

/** Reads pages until there are no more events. Returns the IDs and the last cursor. */
async function readAll(
  running: RunningDispatcher,
  input: Omit<CallInputOf<Operations['event-log.list']>, 'after'> & { after?: string } = {},
): Promise<{ seen: string[]; next: string | null; pages: number }> {
  const call = callerFor(running);
  const seen: string[] = [];
  let next = input.after ?? null;
  for (let pages = 1; ; pages += 1) {
    const page = await call('event-log.list', { ...input, ...(next !== null && { after: next }) });
    seen.push(...page.events.map(({ id }) => id));
    next = page.pagination.next;
    if (!page.pagination.hasMore) return { seen, next, pages };
  }
}

test('a reader that polls while events are published by several processes receives each exactly once, in an order that never changes', async (t) => {
  const running = await runDispatcher(t);
  const published = new Set<string>();
  const publisher = async () => {
    for (let n = 0; n < 60; n += 1) published.add(encoded(await running.publish()));
  };
  let isDone = false;
  const publishing = Promise.all([publisher(), publisher(), publisher()]).then(
    () => (isDone = true),
  );
  const seen: string[] = [];
  let after: string | undefined;
  for (let wasDone = false; !wasDone;) {
    wasDone = isDone;
    const read = await readAll(running, { limit: 7, ...(after !== undefined && { after }) });
    seen.push(...read.seen);
    after = read.next ?? undefined;
  }
  await publishing;
  t.is(seen.length, published.size);
  t.deepEqual(new Set(seen), published);
  t.deepEqual((await readAll(running)).seen, seen);
});

test('lists the events of the workspace of the caller only, with the data of their deliveries', async (t) => {
  const running = await runDispatcher(t);
  const theirs = ids.next();
  await running.publish('CONTACT_CREATED', { workspaceId: theirs });
  const mine = await running.publish();
  const { events } = await callerFor(running)('event-log.list', {});
  const { created_at: createdAt, data } = JSON.parse(mine.body) as {
    created_at: string;
    data: Record<string, unknown>;
  };
  t.deepEqual(events, [{ id: encoded(mine), kind: 'CONTACT_CREATED', createdAt, data }]);
  const call = callerFor(running, encodeId('workspace', theirs));
  t.is((await call('event-log.list', { after: encoded(mine) })).events.length, 1);
  t.is(await codeOf(call('event.get', { eventId: encoded(mine) })), 'not_found');
});

test('`kinds` and `since` select events, and a page that reads its maximum continues where it ended', async (t) => {
  const running = await runDispatcher(t);
  const [before] = await publish(running, 1);
  await Promise.all(Array.from({ length: readMax + 10 }, () => running.publish()));
  const deleted = encoded(await running.publish('CONTACT_DELETED'));
  const ofKind = await readAll(running, { kinds: ['CONTACT_DELETED'] });
  t.deepEqual(ofKind.seen, [deleted]);
  t.true(ofKind.pages > 1);
  const { events } = await callerFor(running)('event-log.list', { after: ofKind.next! });
  t.deepEqual(events, []);
  const { createdAt } = (await callerFor(running)('event.get', { eventId: deleted })).event;
  const late = (await readAll(running, { since: createdAt })).seen;
  t.true(late.includes(deleted));
  t.false(late.includes(before!));
  const { data } = (await callerFor(running)('event.get', { eventId: before! })).event;
  const { id: contactId } = (data as { contact: { id: string } }).contact;
  const backwards = await readAll(running, { order: 'desc', contactId });
  t.deepEqual(backwards.seen, [before]);
  // A page also ends after a second.
  t.true(backwards.pages > 1);
});

test('newest first, a reader gets the events in the reverse order, page by page, from an event, and those of a contact', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const published: string[] = [];
  // Between them, many of another workspace, and ranges without any.
  const theirs = ids.next();
  for (const others of [0, 300, 0, 1, 0, 1000, 0, 0]) {
    await Promise.all(
      Array.from({ length: others }, () =>
        running.publish('CONTACT_CREATED', { workspaceId: theirs }),
      ),
    );
    published.push(...(await publish(running, 3)));
  }
  published.push(encoded(await running.publish('CONTACT_DELETED')));
  const newestFirst = published.toReversed();
  for (const limit of [1, 4, 100]) {
    const { seen, next } = await readAll(running, { order: 'desc', limit });
    t.deepEqual(seen, newestFirst);
    t.is(next, null);
  }
  const after = newestFirst[3]!;
  t.deepEqual((await readAll(running, { order: 'desc', after })).seen, newestFirst.slice(4));
  const unknown = encodeId('event', idAt(Date.now() + 30_000));
  t.deepEqual((await readAll(running, { order: 'desc', after: unknown })).seen, newestFirst);
  const filter = { order: 'desc', kinds: ['CONTACT_DELETED'] } as const;
  t.deepEqual(
    (await call('event-log.list', { ...filter, kinds: ['CONTACT_DELETED'] })).events.length,
    1,
  );
  const { event } = await call('event.get', { eventId: newestFirst[5]! });
  const contactId = (event.data as { contact: { id: string } }).contact.id;
  for (const order of ['asc', 'desc'] as const)
    t.deepEqual((await readAll(running, { order, contactId })).seen, [newestFirst[5]]);
  const none = callerFor(running, encodeId('workspace', ids.next()));
  t.like(await none('event-log.list', { order: 'desc' }), {
    events: [],
    pagination: { next: null, hasMore: false },
  });
});

test('reads on after the ID of an event or of a delivery, and from its time if the event is unknown', async (t) => {
  const running = await runDispatcher(t);
  const [, second, third] = await publish(running, 3);
  const webhook = encodeId('webhook', ids.next());
  const delivery = idOf(uuidOf('event', second!), webhook);
  for (const after of [second!, delivery])
    t.deepEqual((await readAll(running, { after })).seen, [third]);
  const unknown = encodeId('event', ids.next());
  const [fourth] = await publish(running, 1);
  t.true((await readAll(running, { after: unknown })).seen.includes(fourth!));
});

test('a cursor of the former release continues after its event', async (t) => {
  const running = await runDispatcher(t);
  const [first, second] = await publish(running, 2);
  const { next } = await readAll(running, { limit: 1 });
  const { pagination } = await callerFor(running)('event-log.list', { limit: 1 });
  const storedAt = pagination.next!.slice(pagination.next!.indexOf('-'));
  t.not(pagination.next, first!.slice('evt_'.length) + storedAt);
  const after = first!.slice('evt_'.length) + storedAt;
  t.deepEqual(await readAll(running, { after }), { seen: [second!], next, pages: 1 });
});

test('refuses a position that is malformed, later than now, or older than the events that are kept', async (t) => {
  const running = await runDispatcher(t, { EVENTS_MAX_AGE_SECONDS: '86400' });
  const call = callerFor(running);
  await publish(running, 1);
  const given = (await readAll(running)).next!;
  t.deepEqual((await readAll(running, { after: given })).seen, []);
  const start = given.slice(0, given.indexOf('-') + 1);
  const old = encodeId('event', idAt(Date.now() - 2 * 86_400_000));
  const inAnHour = Date.now() + 3_600_000;
  const tomorrow = encodeId('event', idAt(Date.now() + 86_400_000));
  // Its time is after the year 9999.
  const late = encodeId('event', 'ffffffff-ffff-7fff-bfff-ffffffffffff');
  const cursors = [
    `${given}0`,
    ...['zzzzzzzz', 'zzzzzzzzzz', inAnHour.toString(36), '1'].map((time) => start + time),
  ];
  for (const after of [
    'junk',
    old,
    late,
    tomorrow,
    idOf(uuidOf('event', tomorrow), encodeId('webhook', ids.next())),
    ...cursors,
  ])
    t.is(await codeOf(call('event-log.list', { after })), 'invalid', after);
  for (const eventId of [tomorrow, late])
    t.is(await codeOf(call('event.get', { eventId })), 'not_found');
  const error = await t.throwsAsync(call('event-log.list', { after: old }));
  t.regex(JSON.stringify(error), /older than the events that are kept/);
});

test('a list since a time after all events ends at once, and continues with the events that are published later', async (t) => {
  const running = await runDispatcher(t);
  await publish(running, 2);
  const { next } = await readAll(running);
  for (const since of [
    '2099-01-01T00:00:00.000Z',
    '2262-04-12T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ])
    t.deepEqual(
      await callerFor(running)('event-log.list', { since, limit: 50 }),
      {
        events: [],
        pagination: { limit: 50, next, hasMore: false },
      },
      since,
    );
  const [later] = await publish(running, 1);
  t.deepEqual((await readAll(running, { after: next! })).seen, [later]);
});

test('the position of a reader that polls does not expire while no event is published', async (t) => {
  const running = await runDispatcher(t, { EVENTS_MAX_AGE_SECONDS: '86400' });
  const dayAgo = Date.now() - 86_400_000;
  const hourMs = 3_600_000;
  const event = encodeId('event', idAt(dayAgo)).slice(4);
  const [recent, halfway] = [13, 11].map((n) => `${event}-${(dayAgo + n * hourMs).toString(36)}`);
  t.is((await readAll(running, { after: recent! })).next, recent!);
  const { next } = await readAll(running, { after: halfway! });
  const atMs = Number.parseInt(next!.slice(event.length + 1), 36);
  t.true(atMs > dayAgo + 17 * hourMs && atMs < Date.now() - 5 * hourMs, next!);
  t.true(next!.startsWith(event));
  const published = await publish(running, 2);
  for (const after of [halfway!, next!])
    t.deepEqual((await readAll(running, { after })).seen, published);
});

test('leaves out no event after the stream lost its latest ones, and they were published again in another order', async (t) => {
  const running = await runDispatcher(t);
  const first = await running.publish();
  const second = await running.publish();
  const cursor = (await readAll(running)).next!;
  const third = await running.publish();
  const manager = await running.bus.link.nats.jetstreamManager();
  await manager.streams.delete(eventStream);
  await running.bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
  for (const { id } of [third, second, first])
    await running.publish('CONTACT_CREATED', { id, republished: true });
  for (const after of [cursor, encoded(second)])
    t.true((await readAll(running, { after })).seen.includes(encoded(third)), after);
});

test('an event has its deliveries, also if its webhook was deleted, and one without deliveries has none', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const [lonely] = await publish(running, 1);
  t.deepEqual((await call('event.get', { eventId: lonely! })).event.deliveries, []);
  const receiver = await receiverFor(t);
  const webhooks = [running.addWebhook(receiver.url), running.addWebhook(receiver.url)];
  const event = await running.publish();
  const deliveries = await eventually(async () => {
    const found = (await call('event.get', { eventId: encoded(event) })).event.deliveries;
    return found.length === 2 && found;
  });
  t.deepEqual(
    deliveries.map(({ id }) => id),
    webhooks.map(({ id }) => idOf(event.id, id)).toSorted(),
  );
  running.webhooks.length = 0;
  running.changed();
  t.is((await call('event.get', { eventId: encoded(event) })).event.deliveries.length, 2);
  t.is(await codeOf(call('event.get', { eventId: encodeId('event', ids.next()) })), 'not_found');
});

test('a reader gets past messages in the stream that are not events', async (t) => {
  const running = await runDispatcher(t);
  const [first] = await publish(running, 1);
  const stream = running.bus.link.nats.jetstream();
  const subject = `events.${running.workspace.outside}.CONTACT_CREATED`;
  await stream.publish(subject, 'no event');
  await stream.publish(subject, '{', { msgID: encodeId('event', ids.next()) });
  await stream.publish(subject, 'null', { msgID: encodeId('event', ids.next()) });
  const [last] = await publish(running, 1);
  t.deepEqual((await readAll(running, { limit: 1 })).seen, [first, last]);
});
