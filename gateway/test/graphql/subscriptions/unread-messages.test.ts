import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { subscriptionLimits } from '../../../graphql/subscriptions/subscription-limits.js';
import type { TestKey } from '../../stub-services.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { eventsDocument, followLiveEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { openWebSocket, overWebSocket } from './transports.js';

let gateway: TestGateway;
let events: PublishedEvents;
test.before(async () => {
  gateway = await testGateway();
  events = await PublishedEvents.open(gateway.stubs);
});
test.after.always(() => gateway.close());

const { webSocketUnreadBytes } = subscriptionLimits;

/** What a client can send to receive an answer of about 60 KiB, which it does not read. */
const floods: Record<string, (socket: WebSocket) => void> = {
  'pings of the protocol': (socket) =>
    socket.send(JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(60_000) } })),
  'WebSocket pings': (socket) => {
    for (let count = 0; count < 500; count += 1) socket.ping('x'.repeat(125));
  },
  'empty WebSocket pings': (socket) => {
    for (let count = 0; count < 20_000; count += 1) socket.ping();
  },
};

for (const [name, flood] of Object.entries(floods)) {
  test.serial(
    `closes a WebSocket that sends ${name} and does not read with 1013; others receive events`,
    async (t) => {
      const key = gateway.stubs.makeKey();
      const neighbour = await followLiveEvents(overWebSocket(t, gateway.url, key), events, key);
      const socket = await connected(t, key);
      const before = await metric('roster_graphql_web_sockets_refused_total');
      const closed = once(socket, 'close');
      socket.pause();
      let most = 0;
      await eventually(async () => {
        flood(socket);
        most = Math.max(most, await metric('roster_graphql_unread_bytes'));
        return (await metric('roster_graphql_web_sockets_refused_total')) > before;
      });
      t.true(most <= webSocketUnreadBytes, `${most} bytes`);
      const received = neighbour.names.length;
      await events.publish(key.workspaceId, 'after');
      await eventually(() => neighbour.names.length > received);
      socket.resume();
      const [code, reason] = (await closed) as [number, Buffer];
      t.is(`${code} ${String(reason)}`, '1013 unread messages');
      await eventually(async () => (await metric('roster_graphql_unread_bytes')) === 0);
    },
  );
}

test.serial('ends the connection of a client that does not read the closing frame', async (t) => {
  const socket = await connected(t, gateway.stubs.makeKey());
  socket.pause();
  const before = await metric('roster_graphql_web_sockets');
  await eventually(async () => {
    floods['pings of the protocol']!(socket);
    return (await metric('roster_graphql_web_sockets')) < before;
  });
  t.is(await metric('roster_graphql_unread_bytes'), 0);
});

test.serial(
  'a workspace that does not read takes at most half of the memory for unread events',
  async (t) => {
    const small = await testGateway({ SUBSCRIPTION_QUEUE_MAX: 1_000_000 });
    t.teardown(() => small.close());
    const published = await PublishedEvents.open(small.stubs);
    const key = small.stubs.makeKey();
    const other = small.stubs.makeKey();
    const neighbour = await followLiveEvents(overWebSocket(t, small.url, other), published, other);
    const socket = await connected(t, key, small);
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: eventsDocument } }));
    await eventually(async () => (await metric('roster_graphql_subscriptions', small)) === 2);
    socket.pause();
    const large = 'x'.repeat(500_000);
    let most = 0;
    await eventually(async () => {
      await published.publish(key.workspaceId, large);
      most = Math.max(most, await metric('roster_graphql_unread_bytes', small));
      return (await metric('roster_graphql_subscriptions_ended_total', small)) > 0;
    });
    t.true(most <= subscriptionLimits.unreadBytes / 2, `${most} bytes`);
    t.true(most > subscriptionLimits.unreadBytes / 4, `${most} bytes`);
    const received = neighbour.names.length;
    await published.publish(other.workspaceId, 'after');
    await eventually(() => neighbour.names.length > received);
  },
);

async function connected(
  t: ExecutionContext,
  { apiKey }: TestKey,
  { url }: TestGateway = gateway,
): Promise<WebSocket> {
  const socket = openWebSocket(t, url);
  await once(socket, 'open');
  const payload = { authorization: `Bearer ${apiKey}` };
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  await once(socket, 'message');
  return socket;
}

/** Sum of the values of a metric. */
async function metric(name: string, { metrics }: TestGateway = gateway): Promise<number> {
  const { values } = await metrics.getSingleMetric(name)!.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}
