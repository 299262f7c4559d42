import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import type { Socket } from 'node:net';
import { subscriptionLimits } from '../../../graphql/subscriptions/subscription-limits.js';
import { gatewayFor, type TestGateway } from '../../test-gateway.js';
import { followLiveEvents } from './follow-events.js';
import { openSubscriptions } from './open-subscriptions.js';
import { PublishedEvents } from './published-events.js';
import { stalledSubscriber } from './stalled-subscriber.js';
import { overSse } from './transports.js';

const aliases = Array.from({ length: 24 }, (_, n) => `a${n}: contact { name }`);
const document = `subscription { events { ... on ContactEvent { ${aliases.join(' ')} } } }`;
const name = 'x'.repeat(400_000);
/** Size of a result: more than the kernel takes for a client that does not read. */
const resultBytes = aliases.length * name.length;

const unreadBytes = async ({ metrics }: TestGateway): Promise<number> => {
  const { values } = await metrics.getSingleMetric('roster_graphql_unread_bytes')!.get();
  return values[0]!.value;
};

/** Opens a gateway with subscriptions over SSE of one key, none of which is read. */
async function stalled(t: ExecutionContext, count: number) {
  const gateway = await gatewayFor(t);
  const events = await PublishedEvents.open(gateway.stubs);
  const key = gateway.stubs.makeKey();
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 1)
    sockets.push(await stalledSubscriber(t, gateway, key, document));
  await eventually(async () => (await openSubscriptions(gateway)) === count);
  return { gateway, events, key, sockets };
}

test('counts the result of an event stream as unread until it is read or its connection is closed', async (t) => {
  const { gateway, events, key, sockets } = await stalled(t, 2);
  await events.publish(key.workspaceId, name);
  await eventually(async () => (await unreadBytes(gateway)) > 2 * resultBytes);
  sockets[0]!.resume();
  await eventually(async () => (await unreadBytes(gateway)) < 2 * resultBytes);
  t.true((await unreadBytes(gateway)) > resultBytes);
  sockets[1]!.destroy();
  await eventually(async () => (await unreadBytes(gateway)) === 0);
  await eventually(async () => (await openSubscriptions(gateway)) === 1);
});

test('ends an event stream with rate_limited when unread results take half of the memory; others receive events', async (t) => {
  const { gateway, events, key, sockets } = await stalled(t, 4);
  const other = gateway.stubs.makeKey();
  const neighbour = await followLiveEvents(overSse(t, gateway.url, other), events, other);
  await events.publish(key.workspaceId, name);
  await eventually(async () => (await openSubscriptions(gateway)) === 4);
  const bytes = await unreadBytes(gateway);
  t.true(bytes > 3 * resultBytes && bytes <= subscriptionLimits.unreadBytes / 2, `${bytes} bytes`);
  const received = neighbour.names.length;
  await events.publish(other.workspaceId, 'after');
  await eventually(() => neighbour.names.length > received);
  const ends = sockets.map(() => '');
  for (const [index, socket] of sockets.entries())
    socket
      .on('data', (chunk: Buffer) => (ends[index] = (ends[index] + chunk.toString()).slice(-2000)))
      .resume();
  const isEnded = (end: string) => end.includes('event: complete');
  await eventually(() => ends.some(isEnded));
  t.regex(ends.find(isEnded)!, /"code":"rate_limited"/);
  await eventually(async () => (await unreadBytes(gateway)) === 0);
  t.is(ends.filter(isEnded).length, 1);
});
