import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { gatewayConfig } from '../../config.js';
import { restOperations } from '../../rest/rest-operations.js';
import { openBrowserPage, servePage } from '../browser.js';
import type { Problem } from '../../rest/problems/problem.js';
import { bearer, gatewayFor, sharedGateway } from '../test-gateway.js';

const allowed = 'https://app.example.com';
const gateway = sharedGateway(test, { ALLOWED_ORIGINS: [allowed], NODE_ENV: 'production' });
const closed = sharedGateway(test, { NODE_ENV: 'production' });
const development = sharedGateway(test, { NODE_ENV: 'development' });

const others = [
  'https://app.example.com.evil.example',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'HTTPS://APP.EXAMPLE.COM',
  'null',
  '*',
  'http://localhost:5173',
];

const preflight = (url: string, path: string, method: string, origin = allowed) =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

test('a preflight of every operation of the contracts allows its method and headers to an allowed origin', async (t) => {
  for (const { name, http } of restOperations) {
    const response = await preflight(gateway().url, http.path, http.method);
    t.is(response.status, 204, name);
    const { headers } = response;
    t.is(headers.get('access-control-allow-origin'), allowed);
    t.true(headers.get('access-control-allow-methods')!.split(', ').includes(http.method), name);
    for (const header of [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'Last-Event-ID',
      'X-Request-Id',
    ])
      t.true(headers.get('access-control-allow-headers')!.includes(header), header);
    t.is(headers.get('access-control-max-age'), '7200');
    t.is(headers.get('vary'), 'Origin, Accept-Encoding');
    t.is(headers.get('access-control-allow-credentials'), null);
  }
});

test('results and errors are exposed to an allowed origin, with the headers that clients need', async (t) => {
  for (const authorization of [undefined, 'Bearer wrong']) {
    const headers = { origin: allowed, ...(authorization && { authorization }) };
    const response = await fetch(`${gateway().url}/v1/contacts`, { headers });
    t.is(response.status, 401);
    t.is(response.headers.get('access-control-allow-origin'), allowed);
  }
  const { apiKey } = gateway().stubs.makeKey();
  for (const path of ['/v1/contacts', '/graphql?query={__typename}']) {
    const headers = { origin: allowed, ...bearer(apiKey) };
    const response = await fetch(gateway().url + path, { headers });
    t.is(response.headers.get('access-control-allow-origin'), allowed, path);
    t.is(response.headers.get('vary'), 'Origin, Accept-Encoding');
    const exposed = response.headers.get('access-control-expose-headers')!.split(', ');
    for (const name of [
      'Content-Disposition',
      'Link',
      'Location',
      'ETag',
      'Idempotency-Replayed',
      'RateLimit',
      'RateLimit-Policy',
      'X-Request-Id',
    ])
      t.true(exposed.includes(name), name);
  }
});

test('no other origin is allowed, and none without the variable', async (t) => {
  const tried = others.map((origin) => [gateway().url, origin] as const);
  for (const [url, origin] of [...tried, [closed().url, allowed] as const]) {
    const refused = await preflight(url, '/v1/contacts', 'GET', origin);
    t.is(refused.status, 405, origin);
    t.true(
      ((await refused.json()) as Problem).detail.endsWith(
        ` The origin ${origin} is not allowed: add it to the list of the workspace with PUT /v1/origins.`,
      ),
    );
    const read = await fetch(`${url}/v1/contacts`, { headers: { origin } });
    for (const { headers } of [refused, read])
      t.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control-')),
        [],
        origin,
      );
  }
  const withoutOrigin = await fetch(`${gateway().url}/v1/contacts`);
  t.is(
    withoutOrigin.headers.get('vary'),
    'Origin, Accept-Encoding',
    'a cache keeps the responses apart',
  );
});

test('an allowed origin may send any header, also one of its own', async (t) => {
  const { headers } = await preflight(gateway().url, '/graphql', 'POST');
  // Of the Fetch standard: `*` is no wildcard for Authorization.
  t.like(headers.get('access-control-allow-headers')!.split(', '), ['*', 'Authorization']);
});

test('in development, origins of the machine of the browser are allowed at any port', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    for (const port of ['', ':1', ':3000', ':5173', ':65535']) {
      const origin = `http://${host}${port}`;
      const { status, headers } = await preflight(development().url, '/v1/users', 'GET', origin);
      t.is(status, 204, origin);
      t.is(headers.get('access-control-allow-origin'), origin);
      const refused = await preflight(closed().url, '/v1/users', 'GET', origin);
      t.is(refused.status, 405, `${origin} in production`);
    }
  t.is(await handshake(t, development().url, 'http://localhost:5173'), 101);
  for (const origin of [
    'http://localhost.evil.example',
    'http://localhost:5173.evil.example',
    'http://evil.example/http://localhost:5173',
    'https://evil.example',
    'http://127.0.0.1.evil.example:80',
    'http://10.0.0.12:5173',
    'http://[::2]:5173',
    'http://localhost:',
    'http://LOCALHOST:5173',
    'null',
  ])
    t.is((await preflight(development().url, '/v1/users', 'GET', origin)).status, 405, origin);
  t.is(gatewayConfig.parse({ NATS_URL: 'nats://n' }).NODE_ENV, 'production', 'the default');
});

test('a page without an origin, as GraphiQL is, may read the answers of POST /graphql where GraphiQL is served, and nothing else', async (t) => {
  const { url, stubs } = development();
  const allowed = await preflight(url, '/graphql', 'POST', 'null');
  t.is(allowed.status, 204);
  t.is(allowed.headers.get('access-control-allow-origin'), 'null');
  t.is(allowed.headers.get('access-control-allow-credentials'), null);
  const exposed = async (path: string, init: RequestInit, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      ...init,
      headers: { origin: 'null', 'content-type': 'application/json', ...headers },
    });
    return [response.status, response.headers.get('access-control-allow-origin')];
  };
  const query = { method: 'POST', body: '{"query":"{ __typename }"}' };
  const key = bearer(stubs.makeKey().apiKey);
  t.deepEqual(await exposed('/graphql', query, key), [200, 'null']);
  t.deepEqual(await exposed('/graphql', query, bearer('wrong')), [401, 'null']);
  t.deepEqual(await exposed('/graphql', query, { cookie: 'roster_session=rss_a' }), [401, 'null']);
  t.deepEqual(await exposed('/graphql?query={__typename}', {}, key), [200, null]);
  t.deepEqual(await exposed('/graphql', {}, { accept: 'text/html' }), [200, null]);
  t.deepEqual(await exposed('/v1/contacts', {}, key), [200, null]);
  t.is(await handshake(t, url, 'null'), 400);
  for (const path of ['/console/session/token', '/v1/contacts', '/graphql/schema.graphql'])
    t.is((await preflight(url, path, 'POST', 'null')).status, 405, path);
  t.is((await preflight(closed().url, '/graphql', 'POST', 'null')).status, 405);
});

test('OPTIONS that is no preflight, and preflights of unknown paths, are answered as before', async (t) => {
  const headers = { origin: allowed };
  const plain = await fetch(`${gateway().url}/v1/contacts`, { method: 'OPTIONS', headers });
  t.is(plain.status, 405);
  t.is((await preflight(gateway().url, '/v1/unknown', 'GET')).status, 404);
});

/** The status of a WebSocket handshake. */
async function handshake(t: ExecutionContext, url: string, origin?: string): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    ...(origin !== undefined && { origin }),
  });
  t.teardown(() => socket.terminate());
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode!));
    socket.on('error', () => undefined);
  });
}

test('a WebSocket is opened for an allowed origin, pages of the gateway, and clients that are no browsers', async (t) => {
  const { url } = gateway();
  t.is(await handshake(t, url, allowed), 101);
  t.is(await handshake(t, url, url), 101);
  t.is(await handshake(t, url), 101);
  for (const origin of others) t.is(await handshake(t, url, origin), 400, origin);
  t.is(await handshake(t, closed().url, allowed), 400);
});

test('ALLOWED_ORIGINS rejects text that is not a list of origins', (t) => {
  const read = (text: string) =>
    gatewayConfig.parse({ NATS_URL: 'nats://n', ALLOWED_ORIGINS: text }).ALLOWED_ORIGINS;
  t.deepEqual(read(` ${allowed} , http://localhost:5173`), [allowed, 'http://localhost:5173']);
  t.deepEqual(read(''), []);
  for (const text of ['*', 'https://*.example.com', `${allowed}/`, 'app.example.com', 'null'])
    t.throws(() => read(text), { message: /must be origins such as/ }, text);
});

test('in a browser, a page of an allowed origin reads, writes and opens a WebSocket, and another page does not', async (t) => {
  const page = await openBrowserPage(t);
  if (!page) return;
  const [app, foreign] = [await servePage(t), await servePage(t)];
  const { url, stubs } = await gatewayFor(t, { ALLOWED_ORIGINS: [app], NODE_ENV: 'production' });
  const { apiKey } = stubs.makeKey();
  const tryAll = async (origin: string) => {
    await page.goto(origin);
    return page.evaluate(
      async ([base, authorization]) => {
        const headers = {
          authorization,
          'content-type': 'application/json',
          'apollographql-client-name': 'app',
          baggage: 'release=1',
          'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
          tracestate: 'a=b',
          'x-of-its-own': '1',
        };
        const body = '{"email":"ada@example.com"}';
        const outcome = (request: Promise<Response>) =>
          request.then(
            (response) => `${response.status} ${response.headers.has('x-request-id')}`,
            () => 'blocked',
          );
        const socket = new WebSocket(
          `${base.replace('http', 'ws')}/graphql`,
          'graphql-transport-ws',
        );
        // Before the first await: the events would otherwise be missed.
        const opened = new Promise<string>((resolve) => {
          socket.addEventListener('open', () => resolve('open'));
          socket.addEventListener('error', () => resolve('blocked'));
        });
        return {
          read: await outcome(fetch(`${base}/v1/contacts`, { headers })),
          written: await outcome(fetch(`${base}/v1/contacts`, { method: 'POST', headers, body })),
          socket: await opened,
        };
      },
      [url, `Bearer ${apiKey}`] as const,
    );
  };
  t.deepEqual(await tryAll(app), { read: '200 true', written: '201 true', socket: 'open' });
  t.deepEqual(await tryAll(foreign), { read: 'blocked', written: 'blocked', socket: 'blocked' });
  t.is(stubs.calls('contacts.create').length, 1, 'the write of the other page was never sent');
});
