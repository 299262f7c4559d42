import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { certificatesFor, eventually } from '@roster/testing';
import { TargetPolicy } from '@roster/process/targets';
import test, { type ExecutionContext } from 'ava';
import { attempt, type Attempt } from '../../attempt/attempt.js';
import type { ConnectOptions } from '../../attempt/connect.js';
import { EgressProxy, ProxyUnusable, type TunnelOutcome } from '../../attempt/egress-proxy.js';
import { ProxyDoubts } from '../../attempt/proxy-doubts.js';
import { ReceiverConnections } from '../../attempt/receiver-connections.js';
import { answering, proxyFor } from '../proxy.js';
import { receiverFor } from '../receiver.js';

const plentyMs = 20_000;

/** Sends through a proxy. */
function sender(t: ExecutionContext, url: string, options: Partial<ConnectOptions> = {}) {
  const outcomes: TunnelOutcome[] = [];
  const failures: string[] = [];
  const proxy = new EgressProxy({
    url,
    onOutcome: (outcome) => outcomes.push(outcome),
    onFailure: ({ message }) => failures.push(message),
  });
  const connections = new ReceiverConnections({
    policy: new TargetPolicy({ allow: ['127.0.0.0/8'], deny: [], allowHttp: true }),
    resolve: async () => ({ addresses: ['127.0.0.1'], ttlSeconds: 0 }),
    proxy,
    ...options,
  });
  t.teardown(() => connections.close());
  const send = (to: string, timeoutMs = plentyMs): Promise<Attempt> =>
    attempt(connections, {
      ...{ url: new URL(to), headers: {}, body: '{}' },
      ...{ trigger: 'event', timeoutMs },
    });
  return { proxy, send, outcomes, failures };
}

const unusable = { instanceOf: ProxyUnusable };

test('connects to the checked address by CONNECT, with the user of the URL, and uses the tunnel again', async (t) => {
  const proxy = await proxyFor(t);
  const receiver = await receiverFor(t);
  const url = proxy.url.replace('//', '//me:p%40ss@');
  const { send, outcomes } = sender(t, url);
  const to = `http://receiver.example:${receiver.port}/hook`;
  for (let n = 0; n < 2; n += 1)
    t.like(await send(to), { statusCode: 200, error: null, address: '127.0.0.1' });
  const authority = `127.0.0.1:${receiver.port}`;
  const basic = Buffer.from('me:p@ss').toString('base64');
  t.deepEqual(proxy.heads, [
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
  ]);
  t.is(receiver.hits[0]!.headers.host, `receiver.example:${receiver.port}`);
  t.deepEqual(outcomes, ['opened']);
});

test('checks the certificate of the receiver for its name, inside of the tunnel', async (t) => {
  const { ca: authority, server: own } = await certificatesFor(t, 'DNS:receiver.example');
  const read = (file: string) => readFile(file, 'utf8');
  const [cert, key, ca] = await Promise.all([own.cert, own.key, authority].map(read));
  const names: unknown[] = [];
  const server = createTlsServer({ cert: cert!, key: key! }, (request, response) => {
    names.push((request.socket as { servername?: unknown }).servername);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const proxy = await proxyFor(t);
  const { send } = sender(t, proxy.url, { ca: ca! });
  t.is((await send(`https://receiver.example:${port}/`)).error, null);
  t.deepEqual(names, ['receiver.example']);
  t.like(await send(`https://other.example:${port}/`), { errorClass: 'tls' });
});

test('asks the proxy for no address that is not allowed', async (t) => {
  const proxy = await proxyFor(t);
  const { send } = sender(t, proxy.url, {
    resolve: async () => ({ addresses: ['10.0.0.1'], ttlSeconds: 0 }),
  });
  t.like(await send('http://private.example/'), { errorClass: 'refused' });
  t.deepEqual(proxy.heads, []);
});

test('a proxy that refuses connections, or this user, fails no attempt, and is not asked during the pause', async (t) => {
  const proxy = await proxyFor(t);
  const receiver = await receiverFor(t);
  const secret = 'secret-of-the-proxy';
  const {
    proxy: egress,
    send,
    outcomes,
    failures,
  } = sender(t, proxy.url.replace('//', `//me:${secret}@`));
  await proxy.stop();
  await t.throwsAsync(send(receiver.url), unusable);
  t.true(egress.pausedMs > 0);
  await t.throwsAsync(send(receiver.url), { ...unusable, message: /is paused/ });
  await proxy.start();
  proxy.refuse = answering(
    'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"',
  );
  await eventually(() => egress.pausedMs === 0);
  await t.throwsAsync(send(receiver.url), unusable);
  t.is(proxy.heads.length, 1);
  proxy.refuse = () => false;
  await eventually(() => egress.pausedMs === 0);
  t.is((await send(receiver.url)).error, null);
  t.is(egress.pausedMs, 0);
  t.deepEqual(outcomes, ['connect', 'authentication', 'opened']);
  t.is(failures.length, 2);
  t.false(failures.some((message) => message.includes(secret)));
});

test('a proxy that accepts connections and does not answer fails no attempt', async (t) => {
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const receiver = await receiverFor(t);
  const { send, outcomes } = sender(t, `http://127.0.0.1:${port}`);
  await t.throwsAsync(send(receiver.url, 300), unusable);
  t.deepEqual(outcomes, ['timeout']);
});

test('a receiver that does not answer fails its attempts while the proxy answers', async (t) => {
  const proxy = await proxyFor(t);
  const { send } = sender(t, proxy.url);
  const receiver = await receiverFor(t, () => undefined);
  t.like(await send(receiver.url, 300), { errorClass: 'timeout' });
  proxy.refuse = () => true;
  t.like(await send('http://127.0.0.1:1024/', 300), { errorClass: 'timeout' });
});

test('a receiver that the proxy says it cannot reach fails its attempts', async (t) => {
  const proxy = await proxyFor(t);
  const { proxy: egress, send } = sender(t, proxy.url);
  for (const header of [
    'X-Squid-Error: ERR_CONNECT_FAIL 111',
    'Proxy-Status: proxy.example; error=connection_refused',
  ]) {
    proxy.refuse = answering(`HTTP/1.1 503 Service Unavailable\r\n${header}`);
    t.like(await send('http://127.0.0.1:1024/'), {
      errorClass: 'connect',
      error: 'The egress proxy could not reach the receiver: 503.',
    });
  }
  t.is(egress.pausedMs, 0);
});

test('an answer that does not say whose failure it is counts when the proxy opened tunnels to others meanwhile', async (t) => {
  const proxy = await proxyFor(t);
  const working = await receiverFor(t);
  const { proxy: egress, send, outcomes } = sender(t, proxy.url);
  const bare = answering('HTTP/1.1 502 Bad Gateway');
  const broken = 'http://broken.example/';
  proxy.refuse = (socket, authority) => authority.endsWith(':80') && bare(socket, authority);
  for (let n = 0; n < 3; n += 1) await t.throwsAsync(send(broken), unusable);
  t.is(egress.pausedMs, 0, 'a receiver delays no other one');
  t.is((await send(working.url)).error, null);
  t.like(await send(broken), { errorClass: 'connect' });
  await t.throwsAsync(send(broken), unusable);
  t.deepEqual(outcomes, ['answer', 'answer', 'answer', 'opened', 'answer']);
});

test('a tunnel that is closed before the answer fails no attempt the first time', async (t) => {
  const proxy = await proxyFor(t);
  let resets = true;
  const receiver = await receiverFor(t, (response) => {
    if (resets) response.socket!.destroy();
    else response.end();
  });
  const { send, outcomes } = sender(t, proxy.url);
  await t.throwsAsync(send(receiver.url), unusable);
  t.like(await send(receiver.url), { errorClass: 'reset' });
  resets = false;
  t.is((await send(receiver.url)).error, null);
  resets = true;
  await t.throwsAsync(send(receiver.url.replace('127.0.0.1', 'other.example')), unusable);
  t.is(outcomes.filter((outcome) => outcome === 'closed').length, 2);
});

test('the wait of a host becomes longer with each failure, up to half a minute, and ends with an answer', (t) => {
  const doubts = new ProxyDoubts();
  const waits = Array.from({ length: 7 }, (_, n) => {
    t.false(doubts.notOpened('a', n));
    return doubts.secondsOf('a');
  });
  t.deepEqual(waits, [1, 2, 4, 8, 16, 30, 30]);
  doubts.opened('a', 10);
  t.false(doubts.notOpened('a', 11), 'its own tunnel shows nothing about the proxy now');
  doubts.answered('a');
  t.is(doubts.secondsOf('a'), 1);
});
