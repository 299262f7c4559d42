import { eventually, TcpProxy, throwawayNats } from '@roster/testing';
import { Client, subscriptionExchange, type Exchange } from '@urql/core';
import type { EventKind } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { startGatewayProcess, type GatewayProcess } from '../../process/gateway-process.js';
import { serveStubs, type TestKey } from '../../stub-services.js';
import { gatewayFor } from '../../test-gateway.js';
import { eventsDocument, followEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { openWebSocket } from './transports.js';

interface Guide {
  resumeEvents(client: SocketClient): SocketClient;
  subscriptionsOver(client: SocketClient): Exchange;
}

let guide: Guide;
test.before(async () => {
  const file = fileURLToPath(new URL('../../../../graphql/README.md', import.meta.url));
  const text = await readFile(file, 'utf8');
  const [resumeEvents, subscriptionsOver] = ['resumeEvents', 'subscriptionsOver'].map(
    (name) => new RegExp(`\`\`\`js\n(function ${name}[\\s\\S]+?)\`\`\``).exec(text)![1]!,
  );
  const code = `export default (subscriptionExchange) => {
    ${resumeEvents}
    ${subscriptionsOver}
    return { resumeEvents, subscriptionsOver };
  };`;
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    default(exchange: typeof subscriptionExchange): Guide;
  };
  guide = module.default(subscriptionExchange);
});

/** A gateway process that can be killed and started again behind the same address, and a client of it. */
async function restartable(t: ExecutionContext) {
  // Longer than the limits of all waits: what the test starts after its end is not stopped.
  t.timeout(300_000);
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const stubs = await serveStubs(nats.url);
  t.teardown(() => stubs.close());
  const events = await PublishedEvents.open(stubs);
  const key = stubs.makeKey();
  let gateway = await startGatewayProcess(t, { NATS_URL: nats.url });
  const proxy = await TcpProxy.start({ host: '127.0.0.1', port: gateway.port });
  t.teardown(() => proxy.stop());
  const restart = async () => {
    gateway.process.kill('SIGKILL');
    await gateway.exit;
    // On another port: other programs may have used that of the killed process.
    gateway = await startGatewayProcess(t, { NATS_URL: nats.url });
    proxy.target = { host: '127.0.0.1', port: gateway.port };
  };
  return {
    events,
    ...key,
    client: stockClient(t, proxy.port, key),
    subscriptions: () => subscriptionsOf(gateway),
    /** Waits for the new process also if `publish` fails, so that it is started before the test ends. */
    async restartDuring(publish: () => Promise<unknown>) {
      const outcomes = await Promise.allSettled([restart(), publish()]);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

/** A client as in the documentation of graphql-ws, which connects again without waiting for seconds. */
function stockClient(t: ExecutionContext, port: number, { apiKey }: TestKey): SocketClient {
  const client = createClient({
    url: `ws://127.0.0.1:${port}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 1000,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 20)),
    shouldRetry: () => true,
    connectionParams: () => ({ authorization: `Bearer ${apiKey}` }),
  });
  t.teardown(() => {
    // It waits for a connection that is being opened, and rejects if that fails. It opens no other one.
    void Promise.resolve(client.dispose()).catch(() => {});
    client.terminate();
  });
  return client;
}

async function subscriptionsOf({ adminPort }: GatewayProcess): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^roster_graphql_subscriptions(?:\{.*\})? (\d+)$/m.exec(text)?.[1]);
}

// One after another: each has processes of its own.
test.serial(
  'graphql-ws: subscriptions resume without loss when the gateway is killed while events are published',
  async (t) => {
    const { events, workspaceId, client, subscriptions, restartDuring } = await restartable(t);
    const resuming = guide.resumeEvents(client);
    const received = [
      followEvents(resuming),
      followEvents(resuming, { kinds: ['CONTACT_DELETED'] }),
    ];
    await eventually(async () => (await subscriptions()) === 2);
    const published: { id: string; kind: EventKind }[] = [];
    const publish = async (count: number) => {
      for (let n = 1; n <= count; n += 1) {
        const kind = n % 5 === 0 ? 'CONTACT_DELETED' : 'CONTACT_CREATED';
        published.push({ id: await events.publish(workspaceId, 'x', kind), kind });
      }
    };
    await publish(20);
    await restartDuring(() => publish(100));
    await publish(20);
    const last = published.at(-1)!.id;
    await eventually(() => received.every(({ ids }) => ids.includes(last)), { timeoutMs: 60_000 });
    t.deepEqual(
      received[0]!.ids,
      published.map(({ id }) => id),
    );
    t.deepEqual(
      received[1]!.ids,
      published.filter(({ kind }) => kind === 'CONTACT_DELETED').map(({ id }) => id),
    );
    t.deepEqual(
      received.map(({ end }) => end),
      [undefined, undefined],
    );
  },
);

for (const earlier of [0, 1])
  test.serial(
    `urql: a subscription without an event so far resumes in a workspace with ${earlier} earlier events`,
    async (t) => {
      const { events, workspaceId, client, subscriptions, restartDuring } = await restartable(t);
      for (let n = 0; n < earlier; n += 1) await events.publish(workspaceId, 'earlier');
      const urql = new Client({
        url: 'http://unused',
        preferGetMethod: false,
        exchanges: [guide.subscriptionsOver(client)],
      });
      const names: string[] = [];
      const { unsubscribe } = urql
        .subscription<{ events: { contact: { name: string } } }>(eventsDocument, {})
        .subscribe(({ data, error }) => names.push(data?.events.contact.name ?? String(error)));
      t.teardown(unsubscribe);
      await eventually(async () => (await subscriptions()) === 1);
      await restartDuring(() => events.publish(workspaceId, 'between'));
      await events.publish(workspaceId, 'after');
      await eventually(() => names.length >= 2, { timeoutMs: 60_000 });
      t.deepEqual(names, ['between', 'after']);
    },
  );

test('the acknowledgement contains no event for a key that may not follow events', async (t) => {
  const gateway = await gatewayFor(t);
  const payloadFor = async ({ apiKey }: TestKey) => {
    const socket = openWebSocket(t, gateway.url);
    const text = new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(String(data))),
    );
    const payload = { authorization: `Bearer ${apiKey}` };
    socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
    return (JSON.parse(await text) as { payload?: object }).payload;
  };
  t.deepEqual(await payloadFor(gateway.stubs.makeKey()), {
    after: 'evt_00000000000000000000000000',
  });
  t.is(await payloadFor(gateway.stubs.makeKey({ scopes: ['user'] })), undefined);
});
