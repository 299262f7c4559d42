import { eventIdStart, timeOfId } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { deliveryId } from '../../delivery/delivery.js';

const ids = new IdClock();

test('derives the same id from the same event and webhook, and different ids from others', (t) => {
  const events = Array.from({ length: 20 }, () => ids.next());
  const webhooks = Array.from({ length: 20 }, () => ids.next());
  const all = events.flatMap((event) => webhooks.map((webhook) => deliveryId(event, webhook)));
  t.is(new Set(all).size, 400);
  t.deepEqual(
    events.flatMap((event) => webhooks.map((webhook) => deliveryId(event, webhook))),
    all,
  );
});

test('is a version 7 UUID with the time of the event, in the same partition', (t) => {
  const event = ids.next();
  const id = deliveryId(event, ids.next());
  t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(timeOfId(id), timeOfId(event));
  t.true(id.startsWith(eventIdStart(event)));
});

test('sorts in the order of the events, including those of one millisecond', (t) => {
  const webhook = ids.next();
  const all = Array.from({ length: 1000 }, () => deliveryId(ids.next(), webhook));
  t.deepEqual(all.toSorted(), all);
});
