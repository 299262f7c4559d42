import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { attempt, type Attempt } from '../../attempt/attempt.js';
import type { ConnectOptions } from '../../attempt/connect.js';
import { Connections } from '../../attempt/connections.js';
import { TargetPolicy } from '@roster/service/targets';
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
  connections = new Connections({
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

test('ends an attempt at the deadline: a server that accepts and sends nothing, over TLS', async (t) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
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
  const connections = new Connections({ policy: toLoopback, resolve });
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
