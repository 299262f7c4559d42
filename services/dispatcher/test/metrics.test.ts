import { eventually } from '@roster/testing';
import test from 'ava';
import { Registry } from 'prom-client';
import { observeQueue } from '../observe.js';
import { receiverFor } from './receiver.js';
import { runDispatcher } from './running-dispatcher.js';

test('reports the number of waiting deliveries and of due ones', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  running.addWebhook(receiver.url);
  const registry = new Registry();
  observeQueue(registry, running.database);
  const shown = async () => {
    const text = await registry.metrics();
    return ['waiting', 'due'].map((what) =>
      Number(new RegExp(`^roster_deliveries_${what} (.+)$`, 'm').exec(text)?.[1]),
    );
  };
  t.deepEqual(await shown(), [0, 0]);
  for (let n = 0; n < 3; n += 1) await running.publish();
  await eventually(async () => (await shown())[0] === 3);
  t.deepEqual(await shown(), [3, 0]);
});

test('reports the number of open circuits and of attempts in flight', async (t) => {
  const running = await runDispatcher(t, {
    CIRCUIT_OPEN_SECONDS: '600',
    CIRCUIT_OPEN_SECONDS_MAX: '600',
  });
  const overloaded = await receiverFor(t, (response) => response.writeHead(503).end());
  running.addWebhook(overloaded.url);
  await running.publish();
  const open = 'roster_webhook_circuits{state="open",service="dispatcher"}';
  await eventually(async () => (await running.metric(open)) === 1);
  t.is(await running.metric('roster_webhook_circuits{state="half-open",service="dispatcher"}'), 0);

  const answered = Promise.withResolvers<void>();
  const slow = await receiverFor(t, (response) => {
    void answered.promise.then(() => response.writeHead(200).end());
  });
  running.addWebhook(slow.url);
  running.changed();
  const underWay = 'roster_delivery_attempts_in_flight{lane="fresh",service="dispatcher"}';
  t.is(await running.metric(underWay), 0);
  await running.publish();
  await eventually(async () => (await running.metric(underWay)) === 1);
  answered.resolve();
  await eventually(async () => (await running.metric(underWay)) === 0);
});

test('reports the size of the stream and the position of its consumer, and NaN while NATS is unreachable', async (t) => {
  const running = await runDispatcher(t);
  const shown = (name: string) => running.metric(`roster_events_${name}{service="dispatcher"}`);
  // The consumer is created after the start.
  await eventually(async () => (await shown('stream_replicas')) === 1);
  t.is(await shown('stream_replicas_current'), 1);
  t.is(await shown('stream_messages'), 0);
  await running.publish();
  await running.publish();
  await eventually(async () => (await shown('acknowledged_sequence')) === 2);
  t.is(await shown('stream_messages'), 2);
  t.is(await shown('pending'), 0);
  await running.stopAll();
  for (let n = 0; n < 3; n += 1) await running.publish();
  t.is(await shown('pending'), 3);
  running.nats.kill('SIGKILL');
  await eventually(async () => Number.isNaN(await shown('pending')));
});
