import { IdClock, timeOfId } from '@roster/service';
import test from 'ava';
import { deliveryId } from '../../delivery/delivery.js';

const ids = new IdClock();

test('gives an event and a webhook the same id each time, and other pairs others', (t) => {
  const events = Array.from({ length: 20 }, () => ids.next());
  const webhooks = Array.from({ length: 20 }, () => ids.next());
  const all = events.flatMap((event) => webhooks.map((webhook) => deliveryId(event, webhook)));
  t.is(new Set(all).size, 400);
  t.deepEqual(
    events.flatMap((event) => webhooks.map((webhook) => deliveryId(event, webhook))),
    all,
  );
});

test('is a version 7 UUID of the event’s time, so that it lies in the partition of its event', (t) => {
  const event = ids.next();
  const id = deliveryId(event, ids.next());
  t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(timeOfId(id), timeOfId(event));
});

test('is in the order of the events, those of one millisecond included', (t) => {
  const webhook = ids.next();
  const all = Array.from({ length: 1000 }, () => deliveryId(ids.next(), webhook));
  t.deepEqual(all.toSorted(), all);
});
