import { eventually } from '@roster/testing';
import test from 'ava';
import { proxyFor } from '../proxy.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('deliveries wait without attempts while the egress proxy is away, and are sent when it is back', async (t) => {
  const proxy = await proxyFor(t);
  const running = await runDispatcher(t, {
    DELIVERY_PROXY: proxy.url,
    CIRCUIT_OPEN_SECONDS: '600',
    CIRCUIT_OPEN_SECONDS_MAX: '600',
    RETRY_SCHEDULE_SECONDS: '3600',
  });
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  await proxy.stop();
  const events = [];
  for (let n = 0; n < 8; n += 1) events.push(await running.publish());
  for (const { id } of events) {
    const row = await eventually(() => running.delivery(id, webhook));
    t.like(row, {
      status: 'pending',
      reason: 'The egress proxy of the sender failed.',
      attempts: [],
    });
  }
  const circuits = 'roster_webhook_circuits{state="open",service="dispatcher"}';
  t.is(await running.metric(circuits), 0);
  t.true((await running.metric(tunnels('connect'))) > 0);
  t.is(await running.metric(tunnels('opened')), 0);
  await proxy.start();
  for (const { id } of events) {
    const row = await eventually(async () => {
      const found = await running.delivery(id, webhook);
      return found?.status === 'delivered' && found;
    });
    t.is(row.attempts.length, 1);
    t.like(row.attempts[0], { address: '127.0.0.1', statusCode: 200 });
  }
  t.is(receiver.hits.length, events.length);
});

const tunnels = (outcome: string) =>
  `roster_delivery_tunnels_total{outcome="${outcome}",service="dispatcher"}`;
