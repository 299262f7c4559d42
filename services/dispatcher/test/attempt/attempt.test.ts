import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { attempt, type Attempt } from '../../attempt/attempt.js';
import type { ConnectOptions } from '../../attempt/connect.js';
import { ReceiverConnections } from '../../attempt/receiver-connections.js';
import { TargetPolicy } from '@roster/process/targets';
import { receiverFor } from '../receiver.js';

/** Longer than anything takes on a busy machine. */
const plentyMs = 20_000;
const deadlineMs = 2000;
const toLoopback = new TargetPolicy({ allow: ['127.0.0.0/8'], deny: [], allowHttp: true });

/** Makes one attempt and measures its duration. */
async function post(
  t: ExecutionContext,
  url: string,
  { timeoutMs = plentyMs, ...options }: Partial<ConnectOptions> & { timeoutMs?: number } = {},
  connections = new ReceiverConnections({
    policy: toLoopback,
    resolve: async () => ({ addresses: ['127.0.0.1'], ttlSeconds: 0 }),
    ...options,
  }),
): Promise<Attempt & { took: number }> {
  t.teardown(() => connections.close());
  const started = performance.now();
  const headers = { 'content-type': 'application/json' };
  const made = await attempt(connections, {
    url: new URL(url),
    headers,
    body: '{}',
    trigger: 'event',
    timeoutMs,
  });
  return { ...made, took: performance.now() - started };
}

/** A receiver that answers each request with these bytes, and then ends the connection if told so. */
async function rawReceiver(
  t: ExecutionContext,
  answer: string,
  ends = false,
): Promise<{ url: string; connections(): number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      if (ends) socket.end(answer, 'latin1');
      else socket.write(answer, 'latin1');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, connections: () => sockets.size };
}

test('ends an attempt at the deadline: a server that accepts and sends nothing, over TLS', async (t) => {
  const { url: plain } = await rawReceiver(t, '');
  const url = plain.replace('http:', 'https:');
  const made = await post(t, url, { timeoutMs: deadlineMs });
  t.is(made.errorClass, 'timeout');
  t.true(made.took < deadlineMs * 2, `${made.took} ms`);
});

test('stores a compressed response as text, and an undecodable one as empty', async (t) => {
  const answer = (body: Buffer) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  };
  const readable = await post(t, (await receiverFor(t, answer(gzipSync('thank you')))).url);
  t.is(readable.responseBody, 'thank you');
  const broken = await post(t, (await receiverFor(t, answer(randomBytes(100)))).url);
  t.is(broken.error, null);
});

test('classifies how an attempt failed', async (t) => {
  // The port of a closed server.
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const refusing = `http://127.0.0.1:${port}/`;
  t.like(await post(t, refusing), {
    errorClass: 'connect',
    statusCode: null,
    error: 'The receiver refused the connection: ECONNREFUSED.',
  });
  const reset = await receiverFor(t, (response) => response.socket!.destroy());
  t.like(await post(t, reset.url), { errorClass: 'reset', statusCode: null });
  const resolve = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
  t.like(await post(t, 'http://nowhere.test/', { resolve }), { errorClass: 'dns' });
  const plain = await receiverFor(t);
  const secure = plain.url.replace('http:', 'https:');
  t.like(await post(t, secure), { errorClass: 'tls', statusCode: null });
  const bodyless = await receiverFor(t, (response) => response.writeHead(500).end());
  t.like(await post(t, bodyless.url), { errorClass: 'status', statusCode: 500 });
});

test('sends again on a new connection if the receiver has closed the idle one', async (t) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const resolve = async () => ({ addresses: ['127.0.0.1'], ttlSeconds: 0 });
  const connections = new ReceiverConnections({ policy: toLoopback, resolve });
  t.teardown(() => connections.close());
  for (let n = 0; n < 3; n += 1) t.is((await post(t, url, {}, connections)).error, null);
  t.is(sockets.size, 3);
});

test('ends an attempt at the deadline: a name that does not resolve', async (t) => {
  const resolve = () => new Promise<never>(() => {});
  const made = await post(t, 'http://silent.test/', { resolve, timeoutMs: deadlineMs });
  t.is(made.errorClass, 'timeout');
  t.true(made.took < deadlineMs * 2, `${made.took} ms`);
});

test('measures the phases of an attempt separately', async (t) => {
  const receiver = await receiverFor(t, (response) => void setTimeout(() => response.end(), 60));
  const made = await post(t, receiver.url.replace('127.0.0.1', 'localhost.test'));
  t.true(made.dnsMs !== null && made.connectMs !== null && made.tlsMs === null);
  t.true(made.firstByteMs! >= 50 && made.totalMs >= made.firstByteMs!);
});

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const readable = {
  '100 unasked, with the final response in the same packet': `HTTP/1.1 100 Continue\r\n\r\n${ok}`,
  '100 with a header': `HTTP/1.1 100 Continue\r\nx-a: b\r\nconnection: close\r\n\r\n${ok}`,
  '100 of HTTP/1.0': `HTTP/1.0 100 Continue\r\n\r\n${ok}`,
  '102 and 103': `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}`,
  'five hundred 1xx': `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)}${ok}`,
  'a folded header line': 'HTTP/1.1 200 OK\r\nx-a: b\r\n\tc\r\ncontent-length: 2\r\n\r\nok',
  'lines that end with LF': 'HTTP/1.1 200 OK\nx-a: b\ncontent-length: 2\n\nok',
};
for (const [name, answer] of Object.entries(readable)) {
  test(`reads a response, twice on one connection: ${name}`, async (t) => {
    const { url, connections } = await rawReceiver(t, answer);
    const resolve = async () => ({ addresses: [], ttlSeconds: 0 });
    const shared = new ReceiverConnections({ policy: toLoopback, resolve });
    for (let n = 0; n < 2; n += 1) {
      const made = await post(t, url, {}, shared);
      t.like(made, { error: null, statusCode: 200, responseBody: 'ok' });
    }
    t.is(connections(), 1);
  });
}

test('reads a response without a length until the connection ends', async (t) => {
  for (const version of ['1.0', '1.1']) {
    const { url } = await rawReceiver(t, `HTTP/${version} 200 OK\r\n\r\nok`, true);
    t.like(await post(t, url), { error: null, statusCode: 200, responseBody: 'ok' });
  }
});

const unreadable = {
  'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nok':
    'The receiver answered 099, which is not a final response.',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n':
    'The receiver answered 101, which is not a final response.',
  'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n':
    'The receiver answered 101, which is not a final response.',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n':
    "The response could not be read as HTTP/1.1: Transfer-Encoding can't be present with Content-Length.",
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok':
    'The response could not be read as HTTP/1.1: Duplicate Content-Length.',
  [`HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\nok`]:
    'The response could not be read: its headers are longer than 16 KiB.',
  'HTTP/1.1 2000 OK\r\n\r\n':
    'The response could not be read as HTTP/1.1: Invalid response status.',
  '<html>': 'The response could not be read as HTTP/1.1: Expected HTTP/, RTSP/ or ICE/.',
  ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(1001)]:
    'The receiver sent more than 1000 responses with status 1xx.',
};
for (const [answer, error] of Object.entries(unreadable)) {
  test(`says why a response cannot be read: ${JSON.stringify(answer.slice(0, 60))}`, async (t) => {
    const { url } = await rawReceiver(t, answer);
    t.like(await post(t, url), { errorClass: 'protocol', error, statusCode: null });
  });
}

const incomplete = [
  '',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 20\r\nconnection: close\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\nok',
];
for (const answer of incomplete) {
  test(`a response that ends early is a reset: ${JSON.stringify(answer)}`, async (t) => {
    const { url } = await rawReceiver(t, answer, true);
    t.like(await post(t, url), {
      errorClass: 'reset',
      error: 'The connection was closed before the response was complete.',
    });
  });
}
