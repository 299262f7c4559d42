import { operations } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf } from './caller.js';

test('lists deliveries newest first, filtered, page by page, and shows one with its payload and attempts', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const call = callerFor(running);
  const receiver = await receiverFor(t, (response, { headers }) =>
    response
      .writeHead(headers['x-roster-event'] === 'CONTACT_DELETED' ? 500 : 200, {
        'set-cookie': 'x=1',
      })
      .end('answer'),
  );
  const webhook = running.addWebhook(receiver.url);
  const other = running.addWebhook(receiver.url, { events: ['CONTACT_DELETED'] });
  const events: { id: string; body: string }[] = [];
  for (let n = 0; n < 5; n += 1) events.push(await running.publish());
  const failed = await running.publish('CONTACT_DELETED');
  for (const { id } of [...events, failed]) await eventually(() => running.delivery(id, webhook));
  await eventually(() => running.delivery(failed.id, other));

  const all = await call('deliveries.list', { webhookId: webhook.id });
  t.deepEqual(
    all.deliveries.map(({ id }) => id),
    [...events, failed].map(({ id }) => idOf(id, webhook.id)).toReversed(),
  );
  t.like(all.deliveries[0], {
    status: 'pending',
    kind: 'CONTACT_DELETED',
    attemptCount: 1,
    webhookId: webhook.id,
  });
  t.true(Date.parse(all.deliveries[0]!.nextAttemptAt!) > Date.now() + 1_000_000);
  t.like(all.deliveries[1], { status: 'delivered', attemptCount: 1, nextAttemptAt: null });

  const paged: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await call('deliveries.list', {
      webhookId: webhook.id,
      limit: 2,
      ...(after ? { after } : {}),
    });
    paged.push(...page.deliveries.map(({ id }) => id));
    after = page.pagination.next;
  } while (after);
  t.deepEqual(
    paged,
    all.deliveries.map(({ id }) => id),
  );
  t.is(
    (await call('deliveries.list', { webhookId: webhook.id, status: 'pending' })).deliveries.length,
    1,
  );
  t.is(
    (await call('deliveries.list', { webhookId: webhook.id, kind: 'CONTACT_CREATED' })).deliveries
      .length,
    5,
  );
  t.is(
    (await call('deliveries.list', { webhookId: webhook.id, until: '2026-01-01T00:00:00Z' }))
      .deliveries.length,
    0,
  );
  t.is(
    (await call('deliveries.list', { webhookId: webhook.id, since: '2026-01-01T00:00:00+02:00' }))
      .deliveries.length,
    6,
  );
  t.is(
    await codeOf(call('deliveries.list', { webhookId: webhook.id, after: 'nonsense' })),
    'invalid',
  );

  const { delivery } = await call('deliveries.get', { deliveryId: idOf(failed.id, webhook.id) });
  t.deepEqual(delivery.payload, JSON.parse(failed.body) as object);
  t.like(delivery.attempts[0], {
    number: 1,
    trigger: 'event',
    address: '127.0.0.1',
    statusCode: 500,
    errorClass: 'status',
    responseBody: 'answer',
  });
  t.is(delivery.attempts[0]!.responseHeaders['set-cookie'], '(redacted)');
  t.true(delivery.attempts[0]!.totalMs > 0);
  t.notThrows(() => operations['deliveries.get'].output.parse({ delivery }));
});
