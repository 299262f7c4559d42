import { eventually } from '@roster/testing';
import test from 'ava';
import { Circuits } from '../circuits.js';
import { Slots } from '../slots.js';
import { receiverFor, runDispatcher } from './running-dispatcher.js';

const failed = { error: 'no', statusCode: 500, retryAfter: null };
const fine = { error: null, statusCode: 200, retryAfter: null };
const limits = { pauseSeconds: 100, pauseSecondsMax: 350 };

test('five failures in a row open a circuit, one success closes it', (t) => {
  const circuits = new Circuits(limits);
  for (let n = 0; n < 4; n += 1) circuits.note('w', failed);
  t.true(circuits.isClosed('w'));
  circuits.note('w', fine);
  for (let n = 0; n < 4; n += 1) circuits.note('w', failed);
  t.true(circuits.isClosed('w'), 'a success starts the count anew');
  circuits.note('w', failed);
  t.false(circuits.isClosed('w'));
  t.false(circuits.admit('w'));
  t.true(circuits.pauseLeft('w') > 99 && circuits.pauseLeft('w') <= 100);
  t.deepEqual(circuits.restricted(), { closed: ['w'], probing: [] });
  t.true(circuits.note('w', fine), 'it recovered');
  t.true(circuits.isClosed('w') && circuits.admit('w'));
});

test('after its pause an open circuit takes one probe at a time, and each that fails doubles the pause', async (t) => {
  const circuits = new Circuits({ pauseSeconds: 0.02, pauseSecondsMax: 60 });
  for (let n = 0; n < 5; n += 1) circuits.note('w', failed);
  let lastPause = 0;
  for (let probe = 0; probe < 3; probe += 1) {
    await eventually(() => circuits.pauseLeft('w') === 0);
    t.deepEqual(circuits.restricted(), { closed: [], probing: ['w'] });
    t.true(circuits.admit('w'));
    t.false(circuits.admit('w'), 'one at a time');
    t.deepEqual(circuits.restricted(), { closed: ['w'], probing: [] });
    circuits.note('w', failed);
    t.true(circuits.pauseLeft('w') > lastPause);
    lastPause = circuits.pauseLeft('w');
  }
  t.false(circuits.isClosed('w'));
});

test('an overloaded receiver is paused at once, for as long as it asks, and at most a day', (t) => {
  for (const statusCode of [429, 502, 503, 504]) {
    const circuits = new Circuits(limits);
    circuits.note('w', { error: 'no', statusCode, retryAfter: '7200' });
    t.true(circuits.pauseLeft('w') > 7199 && circuits.pauseLeft('w') <= 7200);
  }
  const circuits = new Circuits(limits);
  circuits.note('w', { error: 'no', statusCode: 503, retryAfter: '9999999' });
  t.true(circuits.pauseLeft('w') <= 86_400);
});

test('slots are shared out per webhook, a few wait their turn, and the rest is sent away', async (t) => {
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

test('nobody waits long for a slot', async (t) => {
  const slots = new Slots({ totalMax: 1, perWebhookMax: 1, slowMax: 1, waitingMax: 9, waitMs: 20 });
  t.true(await slots.take('a'));
  t.false(await slots.take('a'));
  slots.giveBack('a');
  t.true(await slots.take('b'));
});

test('webhooks that do not answer, however many, leave slots to those that do', async (t) => {
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

test('no more wait for a webhook than it serves in the time that they wait', async (t) => {
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

test('a webhook that failed is left in peace, probed, and gets all that waited once it works again', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.1').join(','),
    PAUSE_SECONDS: '0.3',
    PAUSE_SECONDS_MAX: '0.6',
  });
  let broken = true;
  let atOnce = 0;
  let atOnceMost = 0;
  const receiver = await receiverFor(t, (response) => {
    atOnceMost = Math.max(atOnceMost, (atOnce += 1));
    setTimeout(() => {
      atOnce -= 1;
      response.writeHead(broken ? 500 : 200).end();
    }, 5);
  });
  const webhook = running.addWebhook(receiver.url);
  for (let n = 0; n < 6; n += 1) {
    const { id } = await running.publish();
    await eventually(async () => running.delivery(id, webhook));
  }
  // Open by now: what comes is put off without an attempt.
  const before = receiver.hits.length;
  const started = performance.now();
  const late = await Promise.all(Array.from({ length: 40 }, () => running.publish()));
  for (const { id } of late) await eventually(() => running.delivery(id, webhook));
  t.true(
    receiver.hits.length - before <= 2 + (performance.now() - started) / 300,
    `${receiver.hits.length - before} attempts on an open circuit`,
  );
  atOnceMost = 0;
  const probes = receiver.hits.length;
  await eventually(() => receiver.hits.length > probes + 1);
  t.is(atOnceMost, 1, 'one probe at a time');
  broken = false;
  for (const { id } of late) {
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered', {
      timeoutMs: 20_000,
    });
  }
});

test('what waits for a disabled webhook stays, and goes on when it is enabled', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.2').join(','),
  });
  let status = 500;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'pending');
  webhook.disabledReason = 'Disabled by a user.';
  running.changed();
  const parked = async () =>
    (
      await running.database.query<{ due: string }>(
        { name: 'test.parked', text: `select due_at::text as due from dispatcher.queue` },
        [],
      )
    )[0]?.due === 'infinity';
  await eventually(parked);
  const hits = receiver.hits.length;
  const skipped = await running.publish();
  t.like(await eventually(() => running.delivery(skipped.id, webhook)), { status: 'skipped' });
  t.is(receiver.hits.length, hits);
  status = 200;
  webhook.disabledReason = null;
  running.changed();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is((await running.delivery(skipped.id, webhook))!.status, 'skipped');
});

test('while a rotated token overlaps, both sign; afterwards the new one alone', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const until = new Date(Date.now() + 60_000).toISOString();
  const webhook = running.addWebhook(receiver.url, {
    previousToken: { token: 'the-old-token', until },
  });
  const first = await running.publish();
  await eventually(async () => (await running.delivery(first.id, webhook))?.status === 'delivered');
  const { headers } = receiver.hits[0]!;
  t.is((headers['webhook-signature'] as string).split(' ').length, 2);
  t.truthy(headers['x-roster-signature-previous']);
  webhook.previousToken = { token: 'the-old-token', until: new Date(Date.now() - 1).toISOString() };
  running.changed();
  const second = await running.publish();
  await eventually(
    async () => (await running.delivery(second.id, webhook))?.status === 'delivered',
  );
  t.is((receiver.hits[1]!.headers['webhook-signature'] as string).split(' ').length, 1);
  t.is(receiver.hits[1]!.headers['x-roster-signature-previous'], undefined);
});
