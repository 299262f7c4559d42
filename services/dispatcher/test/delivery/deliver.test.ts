import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeId, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { deliveryId } from '../../delivery/delivery.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor } from '../operations/caller.js';

test('delivers an event to each webhook that subscribes to it, with a signature of the exact bytes', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(202, { 'x-answer': 'yes' }).end('thanks'),
  );
  const all = running.addWebhook(receiver.url);
  const some = running.addWebhook(receiver.url, { events: ['CONTACT_DELETED', 'campaign.sent'] });
  const none = running.addWebhook(receiver.url, { events: ['campaign.sent'] });
  const created = await running.publish('CONTACT_CREATED');
  const deleted = await running.publish('CONTACT_DELETED');
  await eventually(async () => (await running.delivery(deleted.id, some))?.status === 'delivered');
  await eventually(async () => (await running.delivery(created.id, all))?.status === 'delivered');
  await eventually(async () => (await running.delivery(deleted.id, all))?.status === 'delivered');
  t.is(receiver.hits.length, 3);
  t.is(await running.delivery(created.id, some), undefined);
  t.is(await running.delivery(deleted.id, none), undefined);

  const id = encodeId('delivery', deliveryId(created.id, uuidOf('webhook', all.id)));
  const { headers, body } = receiver.hits.find((hit) => hit.headers['webhook-id'] === id)!;
  t.is(body, created.body);
  t.is(headers['content-type'], 'application/json');
  t.is(headers['x-roster-signature'], createHmac('sha256', all.token!).update(body).digest('hex'));
  t.is(headers['x-roster-event'], 'CONTACT_CREATED');
  t.is(headers['x-roster-delivery'], id);
  t.is(headers['x-roster-event-id'], encodeId('event', created.id));
  t.is(headers['x-roster-webhook-id'], all.id);
  t.notThrows(() =>
    new Webhook(all.token!, { format: 'raw' }).verify(body, headers as Record<string, string>),
  );
  t.throws(() =>
    new Webhook(some.token!, { format: 'raw' }).verify(body, headers as Record<string, string>),
  );

  const row = await running.delivery(created.id, all);
  t.like(row!.attempts[0], {
    trigger: 'event',
    address: '127.0.0.1',
    statusCode: 202,
    errorClass: null,
    responseBody: 'thanks',
  });
  const call = callerFor(running);
  const { delivery } = await call('deliveries.get', { deliveryId: id });
  t.true(delivery.createdAt <= delivery.attempts[0]!.startedAt);
  t.true(delivery.completedAt! >= delivery.attempts[0]!.startedAt);
  t.is((row!.attempts[0]!['responseHeaders'] as Record<string, string>)['x-answer'], 'yes');
});

test('retries by the schedule with the same id and bytes until the delivery succeeds', async (t) => {
  const running = await runDispatcher(t);
  let failures = 2;
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end(),
  );
  const webhook = running.addWebhook(receiver.url);
  const { id, body } = await running.publish();
  const row = await eventually(async () => {
    const found = await running.delivery(id, webhook);
    return found?.status === 'delivered' && found;
  });
  t.deepEqual(
    row.attempts.map(({ trigger, statusCode }) => [trigger, statusCode]),
    [
      ['event', 500],
      ['retry', 500],
      ['retry', 200],
    ],
  );
  t.deepEqual(new Set(receiver.hits.map((hit) => hit.headers['webhook-id'])).size, 1);
  t.deepEqual(
    receiver.hits.map((hit) => hit.body),
    [body, body, body],
  );
});

test('a delivery is dead when the schedule ends, and shows the reason', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t, (response) => response.writeHead(503).end('no'));
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  const row = await eventually(async () => {
    const found = await running.delivery(id, webhook);
    return found?.status === 'dead' && found;
  });
  t.is(row.attempts.length, 4);
  t.regex(row.reason!, /4 attempts/);
  t.is(receiver.hits.length, 4);
});

test('410 disables the webhook, and later deliveries are skipped with the reason', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t, (response) => response.writeHead(410).end());
  const webhook = running.addWebhook(receiver.url);
  const first = await running.publish();
  await eventually(async () => (await running.delivery(first.id, webhook))?.status === 'dead');
  t.deepEqual(running.disabled, [
    { webhookId: webhook.id, reason: 'The receiver answered 410 Gone.' },
  ]);
  const second = await running.publish();
  const row = await eventually(() => running.delivery(second.id, webhook));
  t.like(row, { status: 'skipped', reason: 'The receiver answered 410 Gone.', attempts: [] });
  t.is(receiver.hits.length, 1);
});

test('a redirect is a failure, and is not followed', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const elsewhere = await receiverFor(t);
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  const row = await eventually(async () => {
    const found = await running.delivery(id, webhook);
    return found?.status === 'dead' && found;
  });
  t.like(row.attempts[0], { errorClass: 'redirect', statusCode: 307 });
  t.is(elsewhere.hits.length, 0);
});

for (const [what, hang] of [
  ['headers that never come', () => undefined],
  [
    'a body that never ends',
    (response: import('node:http').ServerResponse) => void response.writeHead(200).write('x'),
  ],
  [
    'a body that drips',
    (response: import('node:http').ServerResponse) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    },
  ],
] as const) {
  test(`the deadline of an attempt ends ${what}`, async (t) => {
    const running = await runDispatcher(t, {
      ATTEMPT_TIMEOUT_MS: '400',
      RETRY_SCHEDULE_SECONDS: '3600',
    });
    const receiver = await receiverFor(t, hang);
    const webhook = running.addWebhook(receiver.url);
    const { id } = await running.publish();
    const row = await eventually(() => running.delivery(id, webhook), { timeoutMs: 10_000 });
    t.like(row, { status: 'pending' });
    t.like(row.attempts[0], { errorClass: 'timeout' });
  });
}

test('at most 64 KiB of an endless response or a gzip bomb are read, and the next delivery is not affected', async (t) => {
  const running = await runDispatcher(t);
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
  const bombing = await receiverFor(t, (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const endless = await receiverFor(t, (response) => {
    response.writeHead(200);
    const pour = () => {
      while (response.write(Buffer.alloc(65_536, 'x')));
    };
    response.on('drain', pour);
    pour();
  });
  const plain = await receiverFor(t, (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
  );
  const webhooks = [
    running.addWebhook(bombing.url),
    running.addWebhook(endless.url),
    running.addWebhook(plain.url),
  ];
  const { id } = await running.publish();
  for (const webhook of webhooks) {
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  }
  const bodies = await Promise.all(
    webhooks.map(
      async (webhook) =>
        (await running.delivery(id, webhook))!.attempts[0]!['responseBody'] as string,
    ),
  );
  t.true(bodies.every((body) => body.length <= 4096));
  t.is(bodies[2], 'hello');
});

test('secrets in the response are redacted, and characters that PostgreSQL cannot store are replaced', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t, (response) =>
    response.writeHead(200, { 'set-cookie': 'session=1' }).end('a\0b\ud800'),
  );
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  const row = await eventually(() => running.delivery(id, webhook));
  t.is((row.attempts[0]!['responseHeaders'] as Record<string, string>)['set-cookie'], '(redacted)');
  t.regex(row.attempts[0]!['responseBody'] as string, /^a\u2400b/);
});

test('connections are reused, and no attempt fails because the receiver closed an idle one', async (t) => {
  const running = await runDispatcher(t);
  let close = () => {};
  const receiver = await receiverFor(t, (response, _, request) => {
    close = () => request.socket.destroy();
    response.end('ok');
  });
  const webhook = running.addWebhook(receiver.url);
  for (let n = 0; n < 5; n += 1) {
    const { id } = await running.publish();
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  }
  t.is(receiver.connections(), 1);
  close();
  const { id } = await running.publish();
  const row = await eventually(() => running.delivery(id, webhook));
  t.like(row, { status: 'delivered' });
  t.is(row.attempts.length, 1);
});

test('a queued delivery is skipped with the reason when its webhook is deleted', async (t) => {
  // Enough retries for a slow machine.
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.3').join(','),
  });
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  await eventually(() => running.delivery(id, webhook));
  running.webhooks.length = 0;
  running.changed();
  const row = await eventually(async () => {
    const found = await running.delivery(id, webhook);
    return found?.status === 'skipped' && found;
  });
  t.regex(row.reason!, /deleted/);
});
