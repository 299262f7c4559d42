import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('the circuit of a failing webhook opens, is probed, and closes; then all waiting deliveries are sent', async (t) => {
  const running = await runDispatcher(t, {
    RETRY_SCHEDULE_SECONDS: Array(99).fill('0.1').join(','),
    CIRCUIT_OPEN_SECONDS: '0.3',
    CIRCUIT_OPEN_SECONDS_MAX: '0.6',
  });
  let broken = true;
  let atOnce = 0;
  let atOnceMost = 0;
  const receiver = await receiverFor(t, (response) => {
    atOnceMost = Math.max(atOnceMost, (atOnce += 1));
    setTimeout(() => {
      atOnce -= 1;
      response.writeHead(broken ? 500 : 200).end();
    }, 5);
  });
  const webhook = running.addWebhook(receiver.url);
  for (let n = 0; n < 6; n += 1) {
    const { id } = await running.publish();
    await eventually(async () => running.delivery(id, webhook));
  }
  // The circuit is open: deliveries are postponed without an attempt.
  const before = receiver.hits.length;
  const started = performance.now();
  const late = await Promise.all(Array.from({ length: 40 }, () => running.publish()));
  for (const { id } of late) await eventually(() => running.delivery(id, webhook));
  t.true(
    receiver.hits.length - before <= 2 + (performance.now() - started) / 300,
    `${receiver.hits.length - before} attempts on an open circuit`,
  );
  atOnceMost = 0;
  const probes = receiver.hits.length;
  await eventually(() => receiver.hits.length > probes + 1);
  t.is(atOnceMost, 1, 'one probe at a time');
  broken = false;
  for (const { id } of late) {
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered', {
      timeoutMs: 20_000,
    });
  }
});
