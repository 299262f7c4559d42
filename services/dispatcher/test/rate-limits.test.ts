import { eventually } from '@roster/testing';
import test from 'ava';
import { RateLimits } from '../slots/rate-limits.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';
import { receiverFor } from './receiver.js';
import { runDispatcher } from './running-dispatcher.js';

/** Maximum number of times within a second. */
const busiestSecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));

test('two dispatchers together, and one that starts later, send at most twice the rate in a second, and about the rate on average', async (t) => {
  const running = await runDispatcher(t);
  const stop = await running.start();
  await running.start();
  const times: number[] = [];
  const limited = await receiverFor(t, (response) => {
    times.push(performance.now());
    response.end();
  });
  const neighbour = await receiverFor(t);
  const webhook = running.addWebhook(limited.url, { ratePerSecond: 10 });
  running.addWebhook(neighbour.url);
  const count = 40;
  for (let n = 0; n < count; n += 1) await running.publish();
  // Webhooks without a rate do not wait for it.
  await eventually(() => neighbour.hits.length === count);
  t.true(times.length < count);
  await eventually(() => times.length >= count / 4);
  await stop();
  await running.start();
  await eventually(() => times.length === count);
  t.true(busiestSecond(times) <= 20, `${busiestSecond(times)}`);
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  t.true(seconds >= 3 && seconds < 9, `${seconds}`);
  t.is(webhook.disabledReason, null);
  t.is(new Set(limited.hits.map(({ headers }) => headers['webhook-id'])).size, count);
});

const webhook = { id: 'w', workspaceId: 'k', ratePerSecond: 10 } as KnownWebhook;

test('fresh deliveries wait behind those in the queue, and claims leave out a webhook that may send nothing', async (t) => {
  const granted = [1, 0, 0, 1];
  const rates = new RateLimits({ grant: async () => granted.shift() ?? 0 });
  t.teardown(() => rates.close());
  const isReady = new Promise<void>((resolve) => rates.onReady(resolve));
  t.true(await rates.take(webhook, true));
  t.false(await rates.take(webhook, true));
  t.deepEqual(rates.scarce(8), { without: ['w'], single: [] });
  await isReady;
  t.deepEqual(rates.scarce(8), { without: [], single: ['w'] });
  t.false(await rates.take(webhook, true));
  t.true(await rates.take(webhook, false));
  t.deepEqual(granted, []);
});

test('an attempt that was not made is returned, and what is not used expires', async (t) => {
  const granted = [1];
  const rates = new RateLimits({ grant: async () => granted.shift() ?? 0 });
  t.teardown(() => rates.close());
  t.true(await rates.take(webhook, false));
  rates.giveBack(webhook);
  t.true(await rates.take(webhook, false));
  rates.giveBack(webhook);
  await eventually(async () => !(await rates.take(webhook, true)));
});

test('without an answer of PostgreSQL nothing is sent', async (t) => {
  const rates = new RateLimits({ grant: () => Promise.reject(new Error('away')) });
  t.teardown(() => rates.close());
  t.false(await rates.take(webhook, true));
  t.true(rates.secondsUntilNext('w') > 0);
});
