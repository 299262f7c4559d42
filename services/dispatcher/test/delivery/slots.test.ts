import test from 'ava';
import { AttemptsPerWebhook } from '../../delivery/attempts-per-webhook.js';
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

test('the limit of a webhook is that of both lanes together, of which fresh deliveries leave a part to retries', async (t) => {
  const perWebhook = new AttemptsPerWebhook(4);
  const limits = { totalMax: 9, slowMax: 9, waitingMax: 9, waitMs: 60_000 };
  const retries = new Slots({ ...limits, perWebhookMax: 4 }, perWebhook);
  const fresh = new Slots({ ...limits, perWebhookMax: 3 }, perWebhook);
  for (let n = 0; n < 3; n += 1) t.true(await fresh.take('w'));
  const waiting = fresh.take('w');
  t.is(retries.freeOf('w'), 1);
  t.true(await retries.take('w'));
  const retry = retries.take('w');
  t.is(perWebhook.of('w'), 4);
  fresh.giveBack('w');
  t.true(await retry, 'what waits in the queue is older');
  fresh.giveBack('w');
  t.is(perWebhook.of('w'), 3);
  retries.giveBack('w');
  t.true(await waiting, 'a slot of the other lane');
  t.is(perWebhook.of('w'), 3);
  t.true(await fresh.take('other'));
});
