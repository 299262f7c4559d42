import { createHmac } from 'node:crypto';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Client } from './client.js';
import { startReceiver, type Receiver } from './receiver.js';
import { sharedRoster } from './running-roster.js';

interface Webhook {
  id: string;
  token: string;
  status: string;
  disabledReason: string | null;
  lastSuccessAt: string | null;
}
interface Delivery {
  id: string;
  status: string;
  kind: string;
  attemptCount: number;
  payload: { event: string; test?: boolean };
  attempts: { trigger: string; statusCode: number; address: string }[];
}
interface Replay {
  id: string | null;
  total: number;
  done: number;
  status: string;
}

const soon = { timeoutMs: 30_000 };

test('deliveries are listed, retried, tested and replayed, and tokens rotated, over REST alone', async (t) => {
  const roster = await sharedRoster(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const client = new Client(roster);
  const { webhook } = (
    await client.post<{ webhook: Webhook }>('/v1/webhooks', {
      url: receiver.url,
      events: ['CONTACT_CREATED'],
    })
  ).body;
  t.like(webhook, { status: 'active', disabledReason: null, lastSuccessAt: null });
  const subject = { client, receiver, webhook, path: `/v1/webhooks/${webhook.id}` };
  for (let n = 0; n < 3; n += 1) await client.post('/v1/contacts', { email: `n${n}@example.com` });

  const first = await listDeliveries(t, subject);
  await retryDelivery(t, subject, first);
  await testWebhook(t, subject);
  await replayEvents(t, subject);
  await rotateToken(t, subject);
  await disableAndEnable(t, subject, first);
  await readStatistics(t, subject);
});

interface Subject {
  client: Client;
  receiver: Receiver;
  webhook: Webhook;
  path: string;
}

const list = async ({ client, path }: Subject, query = '') =>
  (
    await client.get<{
      deliveries: Delivery[];
      pagination: { limit: number; next: string | null };
    }>(`${path}/deliveries${query}`)
  ).body;

const get = async ({ client }: Subject, id: string) =>
  (await client.get<{ delivery: Delivery }>(`/v1/deliveries/${id}`)).body.delivery;

async function listDeliveries(t: ExecutionContext, subject: Subject): Promise<Delivery> {
  const { deliveries } = await eventually(async () => {
    const page = await list(subject, '?status=delivered');
    return page.deliveries.length === 3 && page;
  }, soon);
  t.is((await list(subject, '?limit=2')).deliveries.length, 2);
  t.truthy((await list(subject, '?limit=2')).pagination.next);
  const first = await get(subject, deliveries[0]!.id);
  t.like(first, { status: 'delivered', attemptCount: 1, payload: { event: 'CONTACT_CREATED' } });
  t.like(first.attempts[0], { trigger: 'event', statusCode: 200, address: '127.0.0.1' });
  return first;
}

async function retryDelivery(t: ExecutionContext, subject: Subject, { id }: Delivery) {
  const retried = await subject.client.post<{ delivery: Delivery }>(`/v1/deliveries/${id}/retry`);
  t.is(retried.status, 202);
  await eventually(async () => (await get(subject, id)).attemptCount === 2, soon);
}

async function testWebhook(t: ExecutionContext, { client, path, receiver }: Subject) {
  const post = (kind: string) => client.post<{ code?: string }>(`${path}/test`, { kind });
  t.is((await post('CONTACT_DELETED')).status, 202);
  const isTest = ({ body }: { body: object }) => 'test' in body && body.test === true;
  await eventually(() => receiver.received.some(isTest), soon);
  t.is((await post('NOTHING')).body.code, 'invalid');
}

async function replayEvents(t: ExecutionContext, { client, path, receiver }: Subject) {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const input = { since, kinds: ['CONTACT_CREATED'] };
  const dry = await client.post<{ replay: Replay }>(`${path}/replays`, { ...input, dryRun: true });
  t.is(dry.status, 200);
  t.like(dry.body.replay, { id: null, total: 3, status: 'dry_run' });
  const before = receiver.received.length;
  const replay = await client.post<{ replay: Replay }>(`${path}/replays`, input);
  t.is(replay.status, 202);
  await eventually(async () => {
    const now = await client.get<{ replay: Replay }>(`/v1/replays/${replay.body.replay.id}`);
    return now.body.replay.status === 'completed' && now.body.replay.done === 3;
  }, soon);
  await eventually(() => receiver.received.length >= before + 3, soon);
}

async function rotateToken(t: ExecutionContext, { client, path, receiver, webhook }: Subject) {
  const rotated = await client.post<{ webhook: Webhook }>(`${path}/rotate-token`);
  t.is(rotated.status, 200);
  t.not(rotated.body.webhook.token, webhook.token);
  await client.post('/v1/contacts', { email: 'rotated@example.com' });
  const { raw, headers } = await eventually(
    () => receiver.received.find(({ body }) => body.data.contact?.email === 'rotated@example.com'),
    soon,
  );
  const hmac = (token: string) => createHmac('sha256', token).update(raw).digest('hex');
  t.is(headers['x-roster-signature'], hmac(rotated.body.webhook.token));
  t.is(headers['x-roster-signature-previous'], hmac(webhook.token));
}

async function disableAndEnable(t: ExecutionContext, subject: Subject, { id }: Delivery) {
  const { client, path } = subject;
  const disabled = await client.post<{ webhook: Webhook }>(`${path}/disable`);
  t.like(disabled.body.webhook, { status: 'disabled', disabledReason: 'Disabled by a user.' });
  await client.post('/v1/contacts', { email: 'skipped@example.com' });
  const skipped = async () => (await list(subject, '?status=skipped')).deliveries;
  await eventually(async () => (await skipped()).length === 1, soon);
  t.is((await client.post<{ code: string }>(`/v1/deliveries/${id}/retry`)).status, 409);
  const enabled = await client.post<{ webhook: Webhook }>(`${path}/enable`);
  t.like(enabled.body.webhook, { status: 'active', disabledReason: null });
}

async function readStatistics(t: ExecutionContext, { client, path }: Subject) {
  const { stats } = (
    await client.get<{
      stats: { hours: { attempts: number; successes: number; p50Ms: number }[] };
    }>(`${path}/stats`)
  ).body;
  t.true(stats.hours.reduce((sum, { successes }) => sum + successes, 0) >= 8);
  t.true(stats.hours[0]!.p50Ms > 0);
  const read = async () => (await client.get<{ webhook: Webhook }>(path)).body.webhook;
  await eventually(async () => (await read()).lastSuccessAt !== null, soon);
}
