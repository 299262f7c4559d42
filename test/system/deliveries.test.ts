import { createHmac } from 'node:crypto';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from './client.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster } from './running-roster.js';

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
  t.timeout(120_000);
  const roster = await startRoster({ env: patience });
  t.teardown(() => roster.discard());
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
  const path = `/v1/webhooks/${webhook.id}`;
  for (let n = 0; n < 3; n += 1) await client.post('/v1/contacts', { email: `n${n}@example.com` });

  const list = async (query = '') =>
    (
      await client.get<{
        deliveries: Delivery[];
        pagination: { limit: number; next: string | null };
      }>(`${path}/deliveries${query}`)
    ).body;
  const { deliveries } = await eventually(async () => {
    const page = await list('?status=delivered');
    return page.deliveries.length === 3 && page;
  }, soon);
  t.is((await list('?limit=2')).deliveries.length, 2);
  t.truthy((await list('?limit=2')).pagination.next);
  const get = async (id: string) =>
    (await client.get<{ delivery: Delivery }>(`/v1/deliveries/${id}`)).body.delivery;
  const first = await get(deliveries[0]!.id);
  t.like(first, { status: 'delivered', attemptCount: 1, payload: { event: 'CONTACT_CREATED' } });
  t.like(first.attempts[0], { trigger: 'event', statusCode: 200, address: '127.0.0.1' });

  const retried = await client.post<{ delivery: Delivery }>(`/v1/deliveries/${first.id}/retry`);
  t.is(retried.status, 202);
  await eventually(async () => (await get(first.id)).attemptCount === 2, soon);

  const tested = await client.post<{ delivery: Delivery }>(`${path}/test`, {
    kind: 'CONTACT_DELETED',
  });
  t.is(tested.status, 202);
  await eventually(
    () => receiver.received.some(({ body }) => (body as { test?: boolean }).test),
    soon,
  );
  t.is(
    (await client.post<{ code: string }>(`${path}/test`, { kind: 'NOTHING' })).body.code,
    'invalid',
  );

  const since = new Date(Date.now() - 3_600_000).toISOString();
  const wish = { since, kinds: ['CONTACT_CREATED'] };
  const dry = await client.post<{ replay: Replay }>(`${path}/replays`, { ...wish, dryRun: true });
  t.is(dry.status, 200);
  t.like(dry.body.replay, { id: null, total: 3, status: 'dry_run' });
  const before = receiver.received.length;
  const replay = await client.post<{ replay: Replay }>(`${path}/replays`, wish);
  t.is(replay.status, 202);
  await eventually(async () => {
    const now = await client.get<{ replay: Replay }>(`/v1/replays/${replay.body.replay.id}`);
    return now.body.replay.status === 'completed' && now.body.replay.done === 3;
  }, soon);
  await eventually(() => receiver.received.length >= before + 3, soon);

  const rotated = await client.post<{ webhook: Webhook }>(`${path}/rotate-token`);
  t.is(rotated.status, 200);
  t.not(rotated.body.webhook.token, webhook.token);
  await client.post('/v1/contacts', { email: 'rotated@example.com' });
  const both = await eventually(
    () => receiver.received.find(({ body }) => body.data.contact?.email === 'rotated@example.com'),
    soon,
  );
  const hmac = (token: string) => createHmac('sha256', token).update(both.raw).digest('hex');
  t.is(both.headers['x-roster-signature'], hmac(rotated.body.webhook.token));
  t.is(both.headers['x-roster-signature-previous'], hmac(webhook.token));

  const disabled = await client.post<{ webhook: Webhook }>(`${path}/disable`);
  t.like(disabled.body.webhook, { status: 'disabled', disabledReason: 'Disabled by a user.' });
  await client.post('/v1/contacts', { email: 'unheard@example.com' });
  await eventually(async () => (await list('?status=skipped')).deliveries.length === 1, soon);
  t.is((await client.post<{ code: string }>(`/v1/deliveries/${first.id}/retry`)).status, 409);
  const enabled = await client.post<{ webhook: Webhook }>(`${path}/enable`);
  t.like(enabled.body.webhook, { status: 'active', disabledReason: null });

  const { stats } = (
    await client.get<{
      stats: { hours: { attempts: number; successes: number; p50Ms: number }[] };
    }>(`${path}/stats`)
  ).body;
  t.true(stats.hours.reduce((sum, { successes }) => sum + successes, 0) >= 8);
  t.true(stats.hours[0]!.p50Ms > 0);
  await eventually(
    async () => (await client.get<{ webhook: Webhook }>(path)).body.webhook.lastSuccessAt !== null,
    soon,
  );
});
