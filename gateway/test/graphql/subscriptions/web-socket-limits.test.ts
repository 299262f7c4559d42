import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { dirname, join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { WebSocket } from 'ws';
import { schemaFile } from '../../../graphql/build-schema.js';
import {
  lastResultMs,
  subscriptionLimits,
} from '../../../graphql/subscriptions/subscription-limits.js';
import type { TestKey } from '../../stub-services.js';
import { gatewayFor, testGateway, type TestGateway } from '../../test-gateway.js';
import { openSubscriptions } from './open-subscriptions.js';
import { PublishedEvents } from './published-events.js';
import { openWebSocket } from './transports.js';

let gateway: TestGateway;
test.before(async () => {
  gateway = await testGateway();
  await PublishedEvents.open(gateway.stubs);
});
test.after.always(() => gateway.close());

/** Opens a connection that completes the handshake of a WebSocket, and sends nothing more, nor ends. */
async function openSilently(t: ExecutionContext, { port }: TestGateway) {
  const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  const frames: Buffer[] = [];
  const ended = once(socket, 'end');
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n' +
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.on('data', (data: Buffer) => frames.push(data));
  /** Code of the close frame. */
  const code = () => Buffer.concat(frames).readUInt16BE(2);
  return { closing: once(socket, 'data').then(code), ended: ended.then(code) };
}

/** Opens a WebSocket with a key. Resolves with its close code and reason, or undefined once it is acknowledged. */
async function connect(
  t: ExecutionContext,
  { url }: TestGateway,
  { apiKey }: TestKey,
  headers: Record<string, string> = {},
): Promise<{ socket: WebSocket; refusal: string | undefined }> {
  const socket = openWebSocket(t, url, headers);
  await once(socket, 'open');
  const closed = once(socket, 'close').then(([code, reason]) => `${code} ${String(reason)}`);
  const acknowledged = once(socket, 'message').then(() => undefined);
  const payload = { authorization: `Bearer ${apiKey}` };
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  return { socket, refusal: await Promise.race([closed, acknowledged]) };
}

async function refusalOf(t: ExecutionContext, { url }: TestGateway, headers = {}) {
  const socket = openWebSocket(t, url, headers);
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const problem = (await json(response)) as { code: string };
  // Not closed by ws while an `unexpected-response` is handled.
  response.socket.destroy();
  const retryAfter = response.headers['retry-after'];
  return { status: response.statusCode, retryAfter, problem };
}

test('closes WebSockets of a key over its limit with 1013, until one of them closes; other keys are served', async (t) => {
  const key = gateway.stubs.makeKey();
  const opened = await Promise.all(
    Array.from({ length: subscriptionLimits.webSocketsPerKey }, () => connect(t, gateway, key)),
  );
  t.deepEqual(opened.map(({ refusal }) => refusal).filter(Boolean), []);
  t.is((await connect(t, gateway, key)).refusal, '1013 rate_limited');
  t.is((await connect(t, gateway, gateway.stubs.makeKey())).refusal, undefined);
  opened[0]!.socket.close();
  await eventually(async () => (await connect(t, gateway, key)).refusal === undefined);
});

test('a workspace can have half of the WebSockets; upgrades over all of them are answered 503', async (t) => {
  const small = await gatewayFor(t, { WEB_SOCKETS_MAX: 4 });
  const key = small.stubs.makeKey();
  const { workspaceId } = key;
  for (const one of [key, small.stubs.makeKey({ workspaceId })])
    t.is((await connect(t, small, one)).refusal, undefined);
  const third = small.stubs.makeKey({ workspaceId });
  t.is((await connect(t, small, third)).refusal, '1013 rate_limited');
  await eventually(async () => (await openWebSockets(small)) === 2);
  const other = small.stubs.makeKey();
  t.is((await connect(t, small, other)).refusal, undefined);
  const last = await connect(t, small, other);
  t.is(last.refusal, undefined);
  const { status, problem } = await refusalOf(t, small);
  t.is(status, 503);
  t.is(problem.code, 'unavailable');
  last.socket.close();
  await eventually(async () => (await openWebSockets(small)) === 3);
  t.is((await connect(t, small, other)).refusal, undefined);
});

test('WebSockets without a key can take half of the WebSockets', async (t) => {
  const small = await gatewayFor(t, { WEB_SOCKETS_MAX: 2, TRUSTED_PROXIES: ['127.0.0.0/8'] });
  const silent = openWebSocket(t, small.url, { 'x-forwarded-for': '198.51.100.1' });
  await once(silent, 'open');
  t.is((await refusalOf(t, small)).status, 503);
});

test('WebSockets without a key of one address take a tenth, behind a proxy too, and leave room for other addresses', async (t) => {
  const small = await gatewayFor(t, { WEB_SOCKETS_MAX: 20, TRUSTED_PROXIES: ['127.0.0.0/8'] });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  for (let count = 0; count < 2; count += 1)
    await once(openWebSocket(t, small.url, from(`2001:db8::${count}`)), 'open');
  const { status, retryAfter, problem } = await refusalOf(t, small, from('2001:db8::ffff:0:0:1'));
  t.deepEqual([status, retryAfter, problem.code], [429, '1', 'rate_limited']);
  await once(openWebSocket(t, small.url, from('2001:db8:0:1::1')), 'open');
  // Those with a key are not counted for their address.
  for (let count = 0; count < 3; count += 1) {
    const { refusal } = await connect(t, small, small.stubs.makeKey(), from('198.51.100.1'));
    t.is(refusal, undefined);
  }
});

test('a WebSocket whose origin is looked up takes a slot of its address', async (t) => {
  const small = await gatewayFor(t, { WEB_SOCKETS_MAX: 2 });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  small.stubs.answer('origins.check', async () => {
    await answered;
    return { isListed: true };
  });
  const waiting = openWebSocket(t, small.url, { origin: 'https://app.example.com' });
  await eventually(async () => (await openWebSockets(small)) === 1);
  t.is((await refusalOf(t, small)).status, 429);
  answer();
  await once(waiting, 'open');
});

test('ends the connection of a client that sends no key in 3 s, without waiting for its closing handshake', async (t) => {
  const [first, second] = [await openSilently(t, gateway), await openSilently(t, gateway)];
  await first.closing;
  const third = await openSilently(t, gateway);
  // The third one has 3 s, a closing handshake 5 s more.
  t.deepEqual(
    await Promise.race([Promise.all([first.ended, second.ended]), third.closing]),
    [4408, 4408],
  );
});

test('a WebSocket can have 100 operations; further ones are rejected, and it stays open', async (t) => {
  const key = gateway.stubs.makeKey();
  const { socket } = await connect(t, gateway, key);
  const codes: string[] = [];
  socket.on('message', (text: Buffer) => {
    const { type, payload } = JSON.parse(String(text)) as {
      type: string;
      payload: { extensions: { code: string } }[];
    };
    if (type === 'error') codes.push(payload[0]!.extensions.code);
  });
  const before = (await openSubscriptions(gateway))!;
  const payload = { query: 'subscription { events { id } }' };
  for (let id = 0; id < 1000; id += 1)
    socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }));
  await eventually(() => codes.length === 900);
  t.deepEqual([...new Set(codes)], ['rate_limited']);
  await eventually(async () => (await openSubscriptions(gateway))! - before === 100);
  t.is(socket.readyState, socket.OPEN);
  socket.close();
  await eventually(async () => (await openSubscriptions(gateway)) === before);
});

test('a workspace can have half of the subscriptions; another one receives events with the rest', async (t) => {
  const small = await gatewayFor(t, { SUBSCRIPTIONS_MAX: 4 });
  const events = await PublishedEvents.open(small.stubs);
  const subscribe = async (one: TestKey, count: number) => {
    const { socket } = await connect(t, small, one);
    const answers: string[] = [];
    socket.on('message', (text: Buffer) => answers.push(String(text)));
    const payload = { query: 'subscription { events { id } }' };
    for (let id = 0; id < count; id += 1)
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }));
    return answers;
  };
  const [key, other] = [small.stubs.makeKey(), small.stubs.makeKey()];
  const own = await subscribe(key, 3);
  await eventually(() => own.some((answer) => answer.includes('rate_limited')));
  const others = await subscribe(other, 2);
  await eventually(async () => (await openSubscriptions(small)) === 4);
  for (const [{ workspaceId }, answers] of [
    [key, own],
    [other, others],
  ] as const)
    await eventually(async () => {
      await events.publish(workspaceId, 'x');
      const ids = answers.filter((answer) => answer.includes('evt_'));
      return new Set(ids.map((answer) => (JSON.parse(answer) as { id: string }).id)).size === 2;
    });
  t.is(others.filter((answer) => answer.includes('rate_limited')).length, 0);
});

test('rejects operations with a long ID, which each of their messages would repeat', async (t) => {
  const { socket } = await connect(t, gateway, gateway.stubs.makeKey());
  const payload = { query: 'subscription { events { id } }' };
  const id = 'i'.repeat(subscriptionLimits.idLength + 1);
  socket.send(JSON.stringify({ id, type: 'subscribe', payload }));
  const [message] = (await once(socket, 'message')) as [Buffer];
  const answer = JSON.parse(String(message)) as { payload: { extensions: { code: string } }[] };
  t.is(answer.payload[0]!.extensions.code, 'invalid');
});

test('rejects long documents, and closes a WebSocket with a large request with 1009', async (t) => {
  const { socket } = await connect(t, gateway, gateway.stubs.makeKey());
  const query = `subscription { events { ${'id '.repeat(subscriptionLimits.tokens)} } }`;
  socket.send(JSON.stringify({ id: 'long', type: 'subscribe', payload: { query } }));
  const [answer] = (await once(socket, 'message')) as [Buffer];
  t.regex(String(answer), /query_too_long/);
  const variables = { kinds: 'x'.repeat(subscriptionLimits.requestBytes) };
  socket.send(JSON.stringify({ id: 'large', type: 'subscribe', payload: { query, variables } }));
  t.is((await once(socket, 'close'))[0], 1009);
  const sse = await gateway.post(
    '/graphql',
    { query: 'subscription { events { id } }', variables },
    { accept: 'text/event-stream' },
  );
  t.is(sse.status, 413);
});

test('the reference states the limits of subscriptions', (t) => {
  const reference = readFileSync(join(dirname(schemaFile), 'graphql/README.md'), 'utf8');
  const rowOf = (text: string) => reference.split('\n').find((line) => line.includes(text)) ?? '';
  const { perKey, webSocketsPerKey, operations, tokens, silentMs } = subscriptionLimits;
  const { idLength, requestBytes, webSocketUnreadBytes, unreadBytes } = subscriptionLimits;
  for (const [row, limit] of [
    ['| open subscriptions of a key', perKey],
    ['| open WebSockets of a key', webSocketsPerKey],
    ['| operations on one WebSocket', operations],
    ['| time to send the key', `${silentMs / 1000} s`],
    ['| time to complete a closing handshake', `${lastResultMs / 1000} s`],
    ['| characters of the ID', idLength],
    ['| tokens of the document', tokens],
    ['| request |', `${requestBytes / 1024} KiB`],
    ['| unread bytes of a WebSocket', `${webSocketUnreadBytes / 1024 / 1024} MiB`],
    ['| unread bytes of all', `${unreadBytes / 1024 / 1024} MiB`],
  ] as const)
    t.true(rowOf(row).includes(`| ${limit} |`), row);
});

async function openWebSockets({ metrics }: TestGateway): Promise<number | undefined> {
  const { values } = await metrics.getSingleMetric('roster_graphql_web_sockets')!.get();
  return values[0]?.value;
}
