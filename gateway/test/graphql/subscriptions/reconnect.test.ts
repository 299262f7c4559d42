import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually, TcpProxy } from '@roster/testing';
import test from 'ava';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { PublishedEvents } from './published-events.js';
import type { SubscriptionClient } from './transports.js';

type Follow = (
  client: SubscriptionClient,
  options: {
    after?: string;
    onEvent: (event: { id: string; contact: { name: string } }) => void;
    onEnd: (reason: unknown) => void;
  },
) => () => void;

let gateway: TestGateway;
let events: PublishedEvents;
let followEvents: Follow;
test.before(async () => {
  gateway = await testGateway();
  events = await PublishedEvents.open(gateway.stubs);
  const guide = fileURLToPath(new URL('../../../../graphql/README.md', import.meta.url));
  const code = /```js\n(function followEvents[\s\S]+?)```/.exec(await readFile(guide, 'utf8'))![1]!;
  const module = `data:text/javascript,${encodeURIComponent(`export ${code}`)}`;
  ({ followEvents } = (await import(module)) as { followEvents: Follow });
});
test.after.always(() => gateway.close());

/** Clients that connect again at once, and do not give up. */
const persistent = { retryAttempts: 1000, retryWait: () => Promise.resolve() };
const clients = {
  SSE: (port: number, authorization: string): SubscriptionClient & { dispose(): unknown } =>
    createSseClient({
      ...persistent,
      url: `http://127.0.0.1:${port}/graphql`,
      headers: { authorization },
    }),
  WebSocket: (port: number, authorization: string): SubscriptionClient & { dispose(): unknown } =>
    createWsClient({
      ...persistent,
      url: `ws://127.0.0.1:${port}/graphql`,
      webSocketImpl: WebSocket,
      shouldRetry: () => true,
      connectionParams: { authorization },
    }),
};

for (const [name, connect] of Object.entries(clients)) {
  test(`${name}: the code of the guide receives the events of an interruption, each once and in order`, async (t) => {
    const { apiKey, workspaceId } = gateway.stubs.makeKey();
    const proxy = await TcpProxy.start({
      host: '127.0.0.1',
      port: Number(new URL(gateway.url).port),
    });
    t.teardown(() => proxy.stop());
    const client = connect(proxy.port, `Bearer ${apiKey}`);
    t.teardown(() => client.dispose());
    const first = await events.publish(workspaceId, 'first');
    const names: string[] = [];
    const ends: unknown[] = [];
    const stop = followEvents(client, {
      after: first,
      onEvent: ({ contact }) => names.push(contact.name),
      onEnd: (reason) => ends.push(reason),
    });
    t.teardown(stop);
    await events.publish(workspaceId, 'before');
    await eventually(() => names.length === 1);
    await proxy.setMode('reset');
    await events.publish(workspaceId, 'between');
    await events.publish(workspaceId, 'still between');
    await proxy.setMode('forward');
    await eventually(() => names.length === 3, { timeoutMs: 30_000 });
    await events.publish(workspaceId, 'after');
    await eventually(() => names.length === 4);
    t.deepEqual(names, ['before', 'between', 'still between', 'after']);
    t.deepEqual(ends, []);
  });

  test(`${name}: the code of the guide ends with the reason of the gateway`, async (t) => {
    const { apiKey } = gateway.stubs.makeKey();
    const client = connect(Number(new URL(gateway.url).port), `Bearer ${apiKey}`);
    t.teardown(() => client.dispose());
    const ends: unknown[] = [];
    followEvents(client, {
      after: 'evt_unknown',
      onEvent: () => t.fail(),
      onEnd: (reason) => ends.push(reason),
    });
    await eventually(() => ends.length > 0);
    t.deepEqual(ends, ['not_found']);
  });
}
