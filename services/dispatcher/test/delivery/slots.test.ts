import test from 'ava';
import { Slots } from '../../delivery/slots.js';

test('slots are limited per webhook, a bounded number of deliveries waits, further ones are refused', async (t) => {
  const slots = new Slots({
    totalMax: 3,
    perWebhookMax: 2,
    slowMax: 3,
    waitingMax: 1,
    waitMs: 60_000,
  });
  t.true(await slots.take('a'));
  t.true(await slots.take('a'));
  const third = slots.take('a');
  t.false(await slots.take('a'));
  t.true(await slots.take('b'));
  const other = slots.take('c');
  slots.giveBack('a');
  t.true(await third);
  slots.giveBack('b');
  t.true(await other);
});

test('the wait for a slot is bounded', async (t) => {
  const slots = new Slots({ totalMax: 1, perWebhookMax: 1, slowMax: 1, waitingMax: 9, waitMs: 20 });
  t.true(await slots.take('a'));
  t.false(await slots.take('a'));
  slots.giveBack('a');
  t.true(await slots.take('b'));
});

test('slow webhooks, however many, leave half of the slots to fast ones', async (t) => {
  const slots = new Slots({
    ...{ totalMax: 6, perWebhookMax: 2, slowMax: 3 },
    ...{ waitingMax: 9, waitMs: 20 },
  });
  t.true(await slots.take('quick'));
  for (const hanging of ['a', 'b']) t.true(await slots.take(hanging));
  t.false(await slots.take('c'), 'three are taken');
  slots.giveBack('quick', 5);
  t.true(await slots.take('quick'));
  t.true(await slots.take('quick'), 'its last answer was quick');
  t.false(await slots.take('d'));
});

test('no more deliveries wait for a slot than are served within the wait limit', async (t) => {
  const slots = new Slots({
    ...{ totalMax: 9, perWebhookMax: 1, slowMax: 9 },
    ...{ waitingMax: 99, waitMs: 1000 },
  });
  t.true(await slots.take('w'));
  const second = slots.take('w');
  slots.giveBack('w', 500);
  t.true(await second);
  const waiting = [slots.take('w'), slots.take('w')];
  t.false(await slots.take('w'), 'each takes half a second');
  for (const next of waiting) {
    slots.giveBack('w', 500);
    t.true(await next);
  }
});
