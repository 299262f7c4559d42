import { eventually } from '@roster/testing';
import test from 'ava';
import { Registry } from 'prom-client';
import { DeliveryMetrics } from '../metrics.js';
import { receiverFor, runDispatcher } from './running-dispatcher.js';

test('shows how many deliveries wait, and how many of them should not any more', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  running.addWebhook(receiver.url);
  const registry = new Registry();
  new DeliveryMetrics(registry, running.database);
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
