import { eventually } from '@roster/testing';
import test from 'ava';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { followLiveEvents } from './follow-events.js';
import { openSubscriptions } from './open-subscriptions.js';
import { PublishedEvents } from './published-events.js';
import { stalledSubscriber } from './stalled-subscriber.js';
import { overSse } from './transports.js';

let gateway: TestGateway;
let events: PublishedEvents;
test.before(async () => {
  gateway = await testGateway({ SUBSCRIPTION_QUEUE_MAX: 10 });
  events = await PublishedEvents.open(gateway.stubs);
});
test.after.always(() => gateway.close());

/** Some tens of events with this name fill the socket buffers between the gateway and a client. */
const large = 'x'.repeat(400_000);

test.serial('disconnects a client that does not read, and does not delay others', async (t) => {
  const key = gateway.stubs.makeKey();
  const reader = await followLiveEvents(overSse(t, gateway.url, key), events, key);
  await stalledSubscriber(t, gateway, key);
  await eventually(async () => (await openSubscriptions(gateway)) === 2);
  const readOf = () => reader.names.filter((name) => name === large).length;
  // Each event is published after the previous one was read, so that the reader itself is never too slow.
  for (let count = 1; count <= 60; count += 1) {
    await events.publish(key.workspaceId, large);
    await eventually(() => readOf() === count);
  }
  await eventually(async () => (await openSubscriptions(gateway)) === 1);
  t.is(reader.end, undefined);
});

test.serial('sends rate_limited to a slow client that reads within 5 seconds', async (t) => {
  const key = gateway.stubs.makeKey();
  const slow = await stalledSubscriber(t, gateway, key);
  const before = await endedAsTooSlow(gateway);
  await eventually(async () => {
    await events.publish(key.workspaceId, large);
    return (await endedAsTooSlow(gateway)) > before;
  });
  let text = '';
  slow.on('data', (chunk: Buffer) => (text = (text + chunk.toString('latin1')).slice(-2000)));
  slow.resume();
  await eventually(() => text.includes('event: complete'));
  t.regex(text, /"code":"rate_limited"/);
});

/** Number of subscriptions that were ended because their clients did not read. */
async function endedAsTooSlow({ metrics }: TestGateway): Promise<number> {
  const { values } = await metrics
    .getSingleMetric('roster_graphql_subscriptions_ended_total')!
    .get();
  return values.find(({ labels }) => labels['code'] === 'rate_limited')?.value ?? 0;
}
