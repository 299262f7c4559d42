import { encodeId, operations } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, idOf } from './caller.js';

/** Five delivered deliveries of a webhook, then a failed one, which another webhook has too. */
async function open(t: ExecutionContext) {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
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
  const newestFirst = [...events, failed].map(({ id }) => idOf(id, webhook.id)).toReversed();
  return { call: callerFor(running), webhookId: webhook.id, failed, newestFirst };
}

test('lists the deliveries of a webhook newest first, page by page', async (t) => {
  const { call, webhookId, newestFirst } = await open(t);
  const { deliveries } = await call('deliveries.list', { webhookId });
  t.deepEqual(
    deliveries.map(({ id }) => id),
    newestFirst,
  );
  const newest = {
    status: 'pending',
    kind: 'CONTACT_DELETED',
    attemptCount: 1,
    webhookId,
  } as const;
  t.like(deliveries[0], newest);
  t.true(Date.parse(deliveries[0]!.nextAttemptAt!) > Date.now() + 1_000_000);
  t.like(deliveries[1], { status: 'delivered', attemptCount: 1, nextAttemptAt: null });

  const paged: string[] = [];
  let after: string | null | undefined;
  do {
    const position = after ? { after } : {};
    const page = await call('deliveries.list', { webhookId, limit: 2, ...position });
    paged.push(...page.deliveries.map(({ id }) => id));
    after = page.pagination.next;
  } while (after);
  t.deepEqual(paged, newestFirst);
});

test('an entry shows the contact of the event and the result of the last attempt, wherever the delivery is shown', async (t) => {
  const { call, webhookId, failed, newestFirst } = await open(t);
  const { contact } = (JSON.parse(failed.body) as { data: { contact: Contact } }).data;
  const subject = { contactId: contact.id, email: contact.email };
  const result = { lastStatusCode: 500, lastError: 'The receiver answered 500.' };
  const { deliveries } = await call('deliveries.list', { webhookId });
  const { delivery } = await call('deliveries.get', { deliveryId: newestFirst[0]! });
  const { event } = await call('event.get', { eventId: encodeId('event', failed.id) });
  for (const one of [deliveries[0]!, delivery, event.deliveries[0]!]) {
    t.like(one, { subject, ...result });
    t.true(one.lastTotalMs! > 0);
  }
  t.like(deliveries[1], { lastStatusCode: 200, lastError: null });
  const tested = await call('webhooks.test', { webhookId, kind: 'IMPORT_ENDED' });
  t.like(tested.delivery, { subject: null, lastStatusCode: null, lastTotalMs: null });
});

interface Contact {
  id: string;
  email: string;
}

test('filters deliveries by status, kind and time, and rejects an invalid cursor', async (t) => {
  const { call, webhookId } = await open(t);
  for (const [filter, count] of [
    [{ status: 'pending' }, 1],
    [{ kind: 'CONTACT_CREATED' }, 5],
    [{ until: '2026-01-01T00:00:00Z' }, 0],
    [{ since: '2026-01-01T00:00:00+02:00' }, 6],
  ] as const) {
    const { deliveries } = await call('deliveries.list', { webhookId, ...filter });
    t.is(deliveries.length, count, JSON.stringify(filter));
  }
  t.is(await codeOf(call('deliveries.list', { webhookId, after: 'nonsense' })), 'invalid');
});

test('shows a delivery with its payload and attempts, without secrets of the response', async (t) => {
  const { call, webhookId, failed } = await open(t);
  const { delivery } = await call('deliveries.get', { deliveryId: idOf(failed.id, webhookId) });
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
