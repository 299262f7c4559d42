import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { createdAt, type TestKey } from '../stub-services.js';
import { gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';
import { PublishedEvents } from './published-events.js';
import type { GraphqlError } from './ask-graphql.js';

let shared: TestGateway;
let events: PublishedEvents;
test.before(async () => {
  shared = await testGateway({ SUBSCRIPTION_QUEUE_MAX: 10 });
  events = await PublishedEvents.open(shared.stubs);
});
test.after.always(() => shared.close());

interface Result {
  data?: Record<string, unknown> | null | undefined;
  errors?: readonly { extensions?: Record<string, unknown> | undefined }[] | undefined;
}

interface Received {
  names: string[];
  ids: string[];
  codes: string[];
  raw: Result[];
  /** How it ended: `complete`, or what a close event or an error said. */
  end: unknown;
  stop(): void;
}

const document = `subscription ($kinds: [EventKind!], $after: ID) {
  events(kinds: $kinds, after: $after) { __typename id kind createdAt ... on ContactEvent { contact { name } } }
}`;

interface Client {
  subscribe(
    payload: { query: string; variables: Record<string, unknown> },
    sink: {
      next(result: Result): void;
      error(error: unknown): void;
      complete(): void;
    },
  ): () => void;
}

type Transport = (t: ExecutionContext, url: string, key: TestKey) => Client;

const overSse: Transport = (t, url, { apiKey }) => {
  const client = createSseClient({
    url: `${url}/graphql`,
    retryAttempts: 0,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  t.teardown(() => client.dispose());
  return client;
};

const overWebSocket: Transport = (t, url, { apiKey }) => {
  const client = createWsClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazyCloseTimeout: 60_000,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${apiKey}` },
  });
  t.teardown(() => client.dispose());
  return client;
};

function follow(
  client: Client,
  variables: Record<string, unknown> = {},
  query = document,
): Received {
  const received: Received = {
    names: [],
    ids: [],
    codes: [],
    raw: [],
    end: undefined,
    stop: () => {},
  };
  received.stop = client.subscribe(
    { query, variables },
    {
      next(result) {
        received.raw.push(result);
        const event = result.data?.['events'] as
          | { id: string; contact: { name: string } }
          | undefined;
        if (event) received.ids.push(event.id);
        if (event) received.names.push(event.contact.name);
        for (const { extensions } of result.errors ?? [])
          received.codes.push(extensions?.['code'] as string);
      },
      error(error) {
        const errors = Array.isArray(error) ? (error as GraphqlError[]) : [];
        for (const { extensions } of errors) received.codes.push(extensions.code);
        received.end = error;
      },
      complete: () => (received.end = 'complete'),
    },
  );
  return received;
}

/** Follows, and waits until events come. */
async function followed(
  client: Client,
  { workspaceId }: TestKey,
  variables?: Record<string, unknown>,
): Promise<Received> {
  const received = follow(client, variables);
  await eventually(async () => {
    await events.publish(workspaceId, 'probe', 'CONTACT_UPDATED');
    return received.names.length > 0;
  });
  return received;
}

for (const [name, transport] of Object.entries({ SSE: overSse, WebSocket: overWebSocket })) {
  test(`${name}: events of the key's workspace come as they happen, and none of another`, async (t) => {
    const [key, other] = [shared.stubs.makeKey(), shared.stubs.makeKey()];
    const received = await followed(transport(t, shared.url, key), key);
    await events.publish(other.workspaceId, 'not mine');
    const id = await events.publish(key.workspaceId, 'mine');
    await eventually(() => received.names.includes('mine'));
    t.false(received.names.includes('not mine'));
    t.deepEqual(received.raw.at(-1)!.data, {
      events: {
        __typename: 'ContactEvent',
        id,
        kind: 'CONTACT_CREATED',
        createdAt,
        contact: { name: 'mine' },
      },
    });
  });

  test(`${name}: only the kinds asked for come`, async (t) => {
    const key = shared.stubs.makeKey();
    const kinds = ['CONTACT_UPDATED', 'CONTACT_DELETED'];
    const received = await followed(transport(t, shared.url, key), key, { kinds });
    await events.publish(key.workspaceId, 'created');
    await events.publish(key.workspaceId, 'deleted', 'CONTACT_DELETED');
    await eventually(() => received.names.includes('deleted'));
    t.false(received.names.includes('created'));
  });

  test(`${name}: goes on behind an event, with all that happened since`, async (t) => {
    const key = shared.stubs.makeKey();
    const ids: string[] = [];
    for (const one of ['a', 'b', 'c', 'd']) ids.push(await events.publish(key.workspaceId, one));
    const received = follow(transport(t, shared.url, key), { after: ids[1] });
    await eventually(() => received.names.length === 2);
    await events.publish(key.workspaceId, 'e');
    await eventually(() => received.names.length === 3);
    t.deepEqual(received.names, ['c', 'd', 'e']);
    const atTheEnd = follow(transport(t, shared.url, key), { after: received.ids.at(-1) });
    await eventually(async () => {
      await events.publish(key.workspaceId, 'f');
      return atTheEnd.names.length > 0;
    });
    t.is(atTheEnd.names[0], 'f');
  });

  test(`${name}: an event that is unknown, another workspace's or no id is said to be so`, async (t) => {
    const [key, other] = [shared.stubs.makeKey(), shared.stubs.makeKey()];
    await events.publish(key.workspaceId, 'mine');
    const unknown = encodeId('event', randomUUID());
    const theirs = await events.publish(other.workspaceId, 'theirs');
    for (const after of [unknown, theirs, 'junk']) {
      const received = follow(transport(t, shared.url, key), { after });
      await eventually(() => received.codes.length > 0);
      t.deepEqual(received.codes, ['not_found'], after);
    }
  });

  test.serial(
    `${name}: a revoked key's subscription ends with the broadcast, telling why; its neighbour goes on`,
    async (t) => {
      const key = shared.stubs.makeKey();
      const neighbour = shared.stubs.makeKey({ workspaceId: key.workspaceId });
      const received = await followed(transport(t, shared.url, key), key);
      const beside = await followed(transport(t, shared.url, neighbour), neighbour);
      // The service would still accept it: nothing but the broadcast can end the subscription.
      shared.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
      await eventually(() => received.codes.includes('unauthenticated') && received.end);
      const before = beside.names.length;
      await events.publish(key.workspaceId, 'after');
      await eventually(() => beside.names.length > before);
      t.false(received.names.includes('after'));
    },
  );

  test(`${name}: documents beyond the limits, wrong ones, and queries are refused with their code`, async (t) => {
    const key = shared.stubs.makeKey();
    const limited = shared.stubs.makeKey({ scopes: ['user'] });
    const codeOf = async (query: string, as = key) => {
      const received = follow(transport(t, shared.url, as), {}, query);
      await eventually(() => received.codes.length > 0);
      return received.codes[0];
    };
    t.is(await codeOf(`subscription { ${'events { id } '.repeat(300)} }`), 'query_too_repetitive');
    t.is(await codeOf('subscription { nothing }'), 'GRAPHQL_VALIDATION_FAILED');
    t.is(await codeOf('subscription {'), 'GRAPHQL_PARSE_FAILED');
    t.is(await codeOf('{ me { id } }'), 'subscription_only');
    t.is(await codeOf('subscription { events { id } }', limited), 'insufficient_scope');
  });

  test(`${name}: nothing is lost, and nothing comes twice, when NATS restarts`, async (t) => {
    const gateway = await gatewayFor(t);
    const own = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    const first = await own.publish(key.workspaceId, 'first');
    const received = follow(transport(t, gateway.url, key), { after: first });
    await own.publish(key.workspaceId, 'before');
    await eventually(() => received.names.includes('before'));
    await gateway.nats.restart();
    await eventually(() =>
      own.publish(key.workspaceId, 'after').then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => received.names.includes('after'), { timeoutMs: 20_000 });
    t.is(received.names[0], 'before');
    t.is(new Set(received.ids).size, received.ids.length);
    t.is(received.end, undefined);
  });

  test(`${name}: when the gateway stops, subscribers are told, and it does not wait for them`, async (t) => {
    const gateway = await gatewayFor(t);
    const own = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    const received = follow(transport(t, gateway.url, key));
    await eventually(async () => {
      await own.publish(key.workspaceId, 'x');
      return received.names.length > 0;
    });
    await gateway.close();
    await eventually(() => received.codes.length > 0 || received.end);
    // A gateway that waited would cut them off in the end, and they would know of nothing but that.
    const closeCode = (received.end as { code?: number } | undefined)?.code;
    t.true(received.codes.includes('unavailable') || closeCode === 1001, String(received.end));
  });
}

test('a WebSocket that is asked for while the gateway stops is refused with 503, and does not hold it', async (t) => {
  const gateway = await testGateway();
  const ask = () => {
    const socket = new WebSocket(
      `${gateway.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    t.teardown(() => socket.terminate());
    return socket;
  };
  // The gateway waits for its answer to the close, which does not come.
  const silent = ask();
  await once(silent, 'open');
  silent.pause();
  const stopped = gateway.close();
  const late = ask().on('error', () => {});
  const [status] = await Promise.race([
    once(late, 'unexpected-response').then(([, response]) => [
      (response as IncomingMessage).statusCode,
    ]),
    once(late, 'open').then(() => ['opened']),
  ]);
  t.is(status, 503);
  await stopped;
});

async function openSubscriptions({ metrics } = shared): Promise<number | undefined> {
  const { values } = await metrics.getSingleMetric('roster_graphql_subscriptions')!.get();
  return values[0]?.value;
}

/** How many were ended because their clients did not read. */
async function tooSlow({ metrics } = shared): Promise<number> {
  const { values } = await metrics
    .getSingleMetric('roster_graphql_subscriptions_ended_total')!
    .get();
  return values.find(({ labels }) => labels['code'] === 'rate_limited')?.value ?? 0;
}

/** A name of which some tens fill what is kept for a client between the gateway and it. */
const large = 'x'.repeat(400_000);

test.serial('a client that does not read is cut off, and others are not held up', async (t) => {
  const key = shared.stubs.makeKey();
  const reader = await followed(overSse(t, shared.url, key), key);
  await stalledSubscriber(t, shared, key);
  await eventually(async () => (await openSubscriptions()) === 2);
  const readOf = () => reader.names.filter((name) => name === large).length;
  // Each after the one before was read, so that the one who reads is not too slow itself on a busy machine.
  for (let count = 1; count <= 60; count += 1) {
    await events.publish(key.workspaceId, large);
    await eventually(() => readOf() === count);
  }
  await eventually(async () => (await openSubscriptions()) === 1);
  t.is(reader.end, undefined);
});

test.serial('a slow client that reads at last is told why it was cut off', async (t) => {
  const key = shared.stubs.makeKey();
  const lazy = await stalledSubscriber(t, shared, key);
  const before = await tooSlow();
  await eventually(async () => {
    await events.publish(key.workspaceId, large);
    return (await tooSlow()) > before;
  });
  let text = '';
  lazy.on('data', (chunk: Buffer) => (text = (text + chunk.toString('latin1')).slice(-2000)));
  lazy.resume();
  await eventually(() => text.includes('event: complete'));
  t.regex(text, /"code":"rate_limited"/);
});

/** A subscription of which nothing is read but the head of the answer. */
async function stalledSubscriber(
  t: ExecutionContext,
  { port }: TestGateway,
  { apiKey }: TestKey,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  const body = JSON.stringify({ query: document });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  if (!head.toString().startsWith('HTTP/1.1 200')) throw new Error(head.toString());
  socket.pause();
  return socket;
}

test('a WebSocket without a valid key is closed with 4401, and clients do not come again', async (t) => {
  const socket = new WebSocket(
    `${shared.url.replace('http', 'ws')}/graphql`,
    'graphql-transport-ws',
  );
  socket.once('open', () => socket.send('{"type":"connection_init"}'));
  const code = await new Promise((resolve) => socket.once('close', resolve));
  t.is(code, 4401);
});

test.serial(
  'a WebSocket that is open takes no new subscription once its key is revoked',
  async (t) => {
    const key = shared.stubs.makeKey();
    const client = overWebSocket(t, shared.url, key);
    const neighbour = await followed(client, key);
    shared.stubs.revoke(key);
    shared.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
    await eventually(() => neighbour.codes.includes('unauthenticated'));
    const { codes } = await refusedOn(client);
    t.deepEqual(codes, ['unauthenticated']);
  },
);

async function refusedOn(client: Client): Promise<Received> {
  const received = follow(client);
  await eventually(() => received.codes.length > 0);
  return received;
}

test('a request that would upgrade to something else is answered as it stands', async (t) => {
  const response = await shared.send('/v1/contacts');
  t.is(response.status, 200);
  const socket = connect(shared.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write('GET /problems HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  t.regex(answer.toString(), /^HTTP\/1\.1 200 /);
});

test('no more subscriptions are open than configured', async (t) => {
  const gateway = await gatewayFor(t, { SUBSCRIPTIONS_MAX: 1 });
  const own = await PublishedEvents.open(gateway.stubs);
  const key = gateway.stubs.makeKey();
  const first = follow(overSse(t, gateway.url, key));
  await eventually(async () => {
    await own.publish(key.workspaceId, 'x');
    return first.names.length > 0;
  });
  const second = follow(overSse(t, gateway.url, key));
  await eventually(() => second.codes.length > 0);
  t.deepEqual(second.codes, ['unavailable']);
  first.stop();
  await eventually(async () => (await openSubscriptions(gateway)) === 0);
  const third = follow(overSse(t, gateway.url, key));
  await eventually(async () => {
    await own.publish(key.workspaceId, 'x');
    return third.names.length > 0;
  });
  t.deepEqual(third.codes, []);
});
