import { createHmac } from 'node:crypto';
import { RosterError, type Delivery, type Roster, type Webhook } from '@roster/client';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { collect, openRoster } from './client.js';
import { startReceiver, type Receiver } from './receiver.js';
import { sharedRoster } from './running-roster.js';

const soon = { timeoutMs: 30_000 };

test('deliveries are listed, retried, tested and replayed, and tokens rotated, over REST alone', async (t) => {
  const roster = await sharedRoster(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const client = openRoster(roster);
  const webhook = await client.webhooks.create({ url: receiver.url, events: ['CONTACT_CREATED'] });
  t.like(webhook, { status: 'active', disabledReason: null, lastSuccessAt: null });
  const subject = { client, receiver, webhook };
  for (let n = 0; n < 3; n += 1) await client.contacts.create({ email: `n${n}@example.com` });

  const first = await listDeliveries(t, subject);
  await retryDelivery(t, subject, first);
  await testWebhook(t, subject);
  await replayEvents(t, subject);
  await rotateToken(t, subject);
  await disableAndEnable(t, subject, first);
  await readStatistics(t, subject);
});

interface Subject {
  client: Roster;
  receiver: Receiver;
  webhook: Webhook;
}

async function listDeliveries(
  t: ExecutionContext,
  { client: { deliveries }, webhook: { id } }: Subject,
): Promise<Delivery> {
  const delivered = await eventually(async () => {
    const page = await deliveries.list(id, { status: 'delivered' });
    return page.deliveries.length === 3 && page.deliveries;
  }, soon);
  const page = await deliveries.list(id, { limit: 2 });
  t.is(page.deliveries.length, 2);
  t.truthy(page.pagination.next);
  t.is((await collect(deliveries.list(id, { limit: 2 }))).length, 3);
  const first = await deliveries.get(delivered[0]!.id);
  t.like(first, { status: 'delivered', attemptCount: 1, payload: { event: 'CONTACT_CREATED' } });
  t.like(first.attempts[0], { trigger: 'event', statusCode: 200, address: '127.0.0.1' });
  return first;
}

async function retryDelivery(
  _: ExecutionContext,
  { client: { deliveries } }: Subject,
  { id }: Delivery,
) {
  await deliveries.retry(id);
  await eventually(async () => (await deliveries.get(id)).attemptCount === 2, soon);
}

async function testWebhook(t: ExecutionContext, { client, webhook, receiver }: Subject) {
  await client.webhooks.test(webhook.id, { kind: 'CONTACT_DELETED' });
  const isTest = ({ body }: { body: object }) => 'test' in body && body.test === true;
  await eventually(() => receiver.received.some(isTest), soon);
  const unknown = { kind: 'NOTHING' as 'CONTACT_DELETED' };
  await t.throwsAsync(client.webhooks.test(webhook.id, unknown), { code: 'invalid' });
}

async function replayEvents(
  t: ExecutionContext,
  { client: { replays }, webhook, receiver }: Subject,
) {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const input = { since, kinds: ['CONTACT_CREATED' as const] };
  const dry = await replays.create(webhook.id, { ...input, dryRun: true });
  t.like(dry, { id: null, total: 3, status: 'dry_run' });
  const before = receiver.received.length;
  const { id } = await replays.create(webhook.id, input);
  await eventually(async () => {
    const { status, done } = await replays.get(id!);
    return status === 'completed' && done === 3;
  }, soon);
  await eventually(() => receiver.received.length >= before + 3, soon);
}

async function rotateToken(t: ExecutionContext, { client, receiver, webhook }: Subject) {
  const rotated = await client.webhooks.rotateToken(webhook.id);
  t.not(rotated.token, webhook.token);
  await client.contacts.create({ email: 'rotated@example.com' });
  const { raw, headers } = await eventually(
    () => receiver.received.find(({ body }) => body.data.contact?.email === 'rotated@example.com'),
    soon,
  );
  const hmac = (token: string) => createHmac('sha256', token).update(raw).digest('hex');
  t.is(headers['x-roster-signature'], hmac(rotated.token));
  t.is(headers['x-roster-signature-previous'], hmac(webhook.token));
}

async function disableAndEnable(
  t: ExecutionContext,
  { client, webhook: { id: webhookId } }: Subject,
  { id }: Delivery,
) {
  const disabled = await client.webhooks.disable(webhookId);
  t.like(disabled, { status: 'disabled', disabledReason: 'Disabled by a user.' });
  await client.contacts.create({ email: 'skipped@example.com' });
  const skipped = () => client.deliveries.list(webhookId, { status: 'skipped' });
  await eventually(async () => (await skipped()).deliveries.length === 1, soon);
  const error = await t.throwsAsync(client.deliveries.retry(id), { instanceOf: RosterError });
  t.true(error.is('conflict'));
  const enabled = await client.webhooks.enable(webhookId);
  t.like(enabled, { status: 'active', disabledReason: null });
}

async function readStatistics(t: ExecutionContext, { client: { webhooks }, webhook }: Subject) {
  const { hours } = await webhooks.stats(webhook.id);
  t.true(hours.reduce((sum, { successes }) => sum + successes, 0) >= 8);
  t.true(hours[0]!.p50Ms! > 0);
  await eventually(async () => (await webhooks.get(webhook.id)).lastSuccessAt !== null, soon);
}
