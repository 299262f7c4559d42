import { encodeId, type WorkspaceBroadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { callerFor, idOf, patient } from './operations/caller.js';
import { receiverFor } from './receiver.js';
import { runDispatcher, type RunningDispatcher } from './running-dispatcher.js';

type Message = WorkspaceBroadcasts['workspace.activity'];

/** The messages that gateways would hear. */
async function heardOf({ bus }: RunningDispatcher, workspaceId: string): Promise<Message[]> {
  const heard: Message[] = [];
  bus.listenTo(workspaceId, 'workspace.activity', (message) => void heard.push(message));
  await bus.link.nats.flush();
  return heard;
}

test('each recorded outcome is announced to its workspace, and to no other', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.05' });
  const heard = await heardOf(running, running.workspace.outside);
  const elsewhere = await heardOf(running, encodeId('workspace', randomUUID()));
  let status = 500;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  const { id } = await running.publish();
  const deliveryId = idOf(id, webhook.id);
  const last = () => heard.flatMap(({ deliveries = [] }) => deliveries).at(-1);
  await eventually(() => last()?.status === 'dead');
  const { at, ...dead } = last()!;
  t.deepEqual(dead, {
    ...{ id: deliveryId, eventId: encodeId('event', id), webhookId: webhook.id },
    ...{ status: 'dead', statusCode: 500, attemptCount: 2 },
  });
  t.true(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  status = 200;
  await callerFor(running)('deliveries.retry', { deliveryId });
  await eventually(() => last()?.status === 'delivered', patient);
  t.like(last(), { id: deliveryId, statusCode: 200, attemptCount: 3 });
  t.deepEqual(elsewhere, []);
});

test('a burst of outcomes is announced in few messages', async (t) => {
  const running = await runDispatcher(t);
  const heard = await heardOf(running, running.workspace.outside);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const started = performance.now();
  const events = await Promise.all(Array.from({ length: 100 }, () => running.publish()));
  for (const { id } of events)
    await eventually(
      async () => (await running.delivery(id, webhook))?.status === 'delivered',
      patient,
    );
  await eventually(() => heard.length > 0);
  t.true(heard.length <= 2 + (performance.now() - started) / 200, `${heard.length} messages`);
});

test('the circuit of a webhook is announced when it opens and when it closes', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.05').join(','),
    // Longer than changes are collected: the last state of a message would be the only one.
    CIRCUIT_OPEN_SECONDS: '1',
    CIRCUIT_OPEN_SECONDS_MAX: '1',
  });
  const heard = await heardOf(running, running.workspace.outside);
  let status = 503;
  const receiver = await receiverFor(t, (response) => response.writeHead(status).end());
  const webhook = running.addWebhook(receiver.url);
  await running.publish();
  const states = () => heard.flatMap(({ webhooks = [] }) => webhooks);
  await eventually(() => states().length > 0);
  status = 200;
  await eventually(() => states().length > 1, patient);
  t.deepEqual(
    states().map(({ id, circuit }) => [id, circuit]),
    [
      [webhook.id, 'open'],
      [webhook.id, 'closed'],
    ],
  );
});

test('the steps of a replay are announced, and its cancellation', async (t) => {
  const running = await runDispatcher(t, { REPLAY_PER_SECOND: '1' });
  const call = callerFor(running);
  const heard = await heardOf(running, running.workspace.outside);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  for (let n = 0; n < 2; n += 1) await running.publish();
  await eventually(() => receiver.hits.length === 2);
  await eventually(async () => {
    const { deliveries } = await call('deliveries.list', { webhookId: webhook.id });
    return deliveries.filter(({ status }) => status === 'delivered').length === 2;
  });
  const wish = { webhookId: webhook.id, since: '2026-01-01T00:00:00Z' };
  const { replay } = await call('replays.create', wish);
  const of = (id: string | null) =>
    heard.flatMap(({ replays = [] }) => replays).filter((one) => one.id === id);
  await eventually(() => of(replay.id).at(-1)?.status === 'completed', patient);
  t.deepEqual(of(replay.id).at(-1), {
    ...{ id: replay.id, webhookId: webhook.id, status: 'completed', total: 2, done: 2 },
  });
  const cancelled = await call('replays.create', wish);
  await call('replays.cancel', { replayId: cancelled.replay.id! });
  await eventually(() => of(cancelled.replay.id).at(-1)?.status === 'cancelled', patient);
});
