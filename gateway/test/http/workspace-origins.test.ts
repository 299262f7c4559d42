import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { openBrowserPage, servePage } from '../browser.js';
import type { TestKey } from '../stub-services.js';
import { bearer, gatewayFor, type TestGateway } from '../test-gateway.js';
import { TestTokens } from '../test-tokens.js';

const [app, other, unlisted] = [
  'https://app.example.com',
  'https://other.example.com',
  'https://unlisted.example.com',
];
const tokens = new TestTokens();

/** A gateway with a workspace that lists `app`, and another one that lists `other`. */
async function open(t: ExecutionContext, settings = {}) {
  const gateway = await gatewayFor(t, {
    CALLER_PUBLIC_KEYS: tokens.publicKeys,
    NODE_ENV: 'production',
    ...settings,
  });
  const { stubs } = gateway;
  const [key, neighbour] = [stubs.makeKey({ origins: [app] }), stubs.makeKey({ origins: [other] })];
  const keys = [key, neighbour];
  stubs.answer('origins.check', ({ input }) => {
    const { origin } = input as { origin: string };
    return { isListed: keys.some(({ origins }) => origins!.includes(origin)) };
  });
  stubs.answer('keys.check', ({ input }) => {
    const { keyId } = input as { keyId: string };
    const { origins } = keys.find((one) => one.keyId === keyId)!;
    return { valid: true, origins };
  });
  /** As the users service does when the workspace of a key replaces its origins. */
  const change = (one: TestKey, origins: string[]) => {
    const changed = [...one.origins!, ...origins];
    one.origins!.splice(0, Infinity, ...origins);
    const { workspaceId } = one;
    stubs.bus.broadcast('origins.changed', { workspaceId, origins: changed });
  };
  return { gateway, key, neighbour, change };
}

const get = ({ url }: TestGateway, origin: string, key?: Pick<TestKey, 'apiKey'>) =>
  fetch(`${url}/v1/contacts`, { headers: { origin, ...(key && bearer(key.apiKey)) } });

const preflight = ({ url }: TestGateway, origin: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/contacts`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  });

const exposedTo = ({ headers }: Response) => headers.get('access-control-allow-origin');

for (const kind of ['key', 'token'] as const)
  test(`a page of an origin reads responses to a ${kind} of a workspace that lists it, and of no other`, async (t) => {
    const { gateway, ...keys } = await open(t);
    const [own, neighbour] = [keys.key, keys.neighbour].map((key) =>
      kind === 'key' ? key : tokens.of(key),
    );
    // Not cached at first, and then cached.
    for (const time of ['first', 'second']) {
      const read = await get(gateway, app, own);
      t.is(read.status, 200);
      t.is(exposedTo(read), app, time);
      t.regex(read.headers.get('access-control-expose-headers')!, /X-Request-Id/);
      t.is(read.headers.get('vary'), 'Origin, Accept-Encoding');
      t.is(exposedTo(await get(gateway, other, own)), null, time);
      t.is(exposedTo(await get(gateway, unlisted, own)), null, time);
      t.is(exposedTo(await get(gateway, other, neighbour)), other, time);
      t.is(exposedTo(await get(gateway, app, neighbour)), null, time);
    }
  });

test('over GraphQL and SSE, responses are exposed alike', async (t) => {
  const { gateway, key } = await open(t);
  for (const accept of ['application/json', 'text/event-stream'])
    for (const [origin, exposed] of [
      [app, app],
      [other, null],
    ] as const) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { origin, accept, 'content-type': 'application/json', ...bearer(key.apiKey) },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      t.is(response.status, 200);
      t.is(exposedTo(response), exposed, `${accept} ${origin}`);
      await response.body?.cancel();
    }
});

test('a preflight, and why a key is refused, are answered for origins that any workspace lists', async (t) => {
  const { gateway } = await open(t);
  const wrong = { apiKey: 'rsk_wrong' };
  for (const origin of [app, other]) {
    const allowed = await preflight(gateway, origin);
    t.is(allowed.status, 204);
    t.is(exposedTo(allowed), origin);
    for (const refused of [await get(gateway, origin), await get(gateway, origin, wrong)]) {
      t.is(refused.status, 401);
      t.is(exposedTo(refused), origin);
    }
  }
  const forbidden = await preflight(gateway, unlisted);
  t.is(forbidden.status, 405);
  t.is(exposedTo(forbidden), null);
  t.is(exposedTo(await get(gateway, unlisted, wrong)), null);
});

test('a change applies to keys, tokens and preflights when it is broadcast', async (t) => {
  const { gateway, key, change } = await open(t);
  const token = tokens.of(key);
  const read = async (origin: string) => [
    exposedTo(await get(gateway, origin, key)),
    exposedTo(await get(gateway, origin, token)),
    exposedTo(await preflight(gateway, origin)),
  ];
  const [allowed, forbidden] = [(origin: string) => [origin, origin, origin], [null, null, null]];
  t.deepEqual(await read(app), allowed(app));
  t.deepEqual(await read(unlisted), forbidden);
  change(key, [unlisted]);
  await eventually(async () => String(await read(unlisted)) === String(allowed(unlisted)));
  await eventually(async () => String(await read(app)) === String(forbidden));
});

test('preflights of an origin share a look-up; random origins of an address are looked up until its limit', async (t) => {
  const { gateway, key } = await open(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 5,
    TRUSTED_PROXIES: ['127.0.0.0/8'],
  });
  const lookUps = () => gateway.stubs.calls('origins.check').length;
  const at = (address: string) => ({ 'x-forwarded-for': address });
  for (const origin of [app, unlisted]) {
    await Promise.all(Array.from({ length: 10 }, () => preflight(gateway, origin)));
    await preflight(gateway, origin);
  }
  t.is(lookUps(), 2);
  t.is((await preflight(gateway, 'https://98.example.net')).status, 405, 'one failure counted');
  const random = (n: number) => `https://${n}.example.net`;
  const attacker = at('198.51.100.1');
  for (let n = 0; n < 5; n += 1) t.is((await preflight(gateway, random(n), attacker)).status, 405);
  for (let n = 5; n < 30; n += 1) t.is((await preflight(gateway, random(n), attacker)).status, 429);
  t.is(lookUps(), 8);
  t.is((await preflight(gateway, app, attacker)).status, 204, 'known');
  t.is((await preflight(gateway, random(99), at('198.51.100.2'))).status, 405, 'another address');
  t.is(exposedTo(await get(gateway, app, key)), app);
  // Origins of a page's frames do not lock out the keys of its visitor.
  const headers = { ...attacker, ...bearer(gateway.stubs.makeKey().apiKey) };
  t.is((await fetch(`${gateway.url}/v1/contacts`, { headers })).status, 200);
});

test('an Origin header that no workspace could list is not looked up', async (t) => {
  const { gateway } = await open(t);
  for (const origin of ['null', '*', 'http://app.example.com', 'https://app.example.com:443', 'x'])
    t.is((await preflight(gateway, origin)).status, 405, origin);
  t.is(gateway.stubs.calls('origins.check').length, 0);
});

test('without the users service, pages of configured origins and cached keys are served, others are answered 503', async (t) => {
  const configured = 'https://configured.example.com';
  const { gateway, key } = await open(t, { ALLOWED_ORIGINS: [configured] });
  t.is(exposedTo(await get(gateway, app, key)), app);
  await gateway.stubs.stop('users');
  t.is((await preflight(gateway, app)).status, 503);
  t.is((await preflight(gateway, configured)).status, 204);
  t.is(exposedTo(await get(gateway, app, key)), app);
  t.is(exposedTo(await get(gateway, configured, key)), configured);
});

/** The status of a handshake that is refused, or else how the WebSocket answers a key. */
async function connect(t: ExecutionContext, { url }: TestGateway, origin: string, key: TestKey) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    origin,
  });
  t.teardown(() => socket.terminate());
  socket.on('error', () => undefined);
  const refused = new Promise<string>((resolve) =>
    socket.once('unexpected-response', (_, { statusCode }) => resolve(String(statusCode))),
  );
  const closed = once(socket, 'close').then(([code, reason]) => `${code} ${String(reason)}`);
  const answered = once(socket, 'message').then(([text]) => String(text));
  const payload = bearer(key.apiKey);
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
  return Promise.race([refused, closed, answered]);
}

test('a WebSocket is opened for origins that any workspace lists, and closed with 4403 for keys of other workspaces', async (t) => {
  const { gateway, key, neighbour } = await open(t);
  // Not cached at first, and then cached.
  for (let time = 0; time < 2; time += 1) {
    t.regex(await connect(t, gateway, app, key), /connection_ack/);
    t.regex(await connect(t, gateway, other, neighbour), /connection_ack/);
    t.is(
      await connect(t, gateway, app, neighbour),
      '4403 origin not allowed: add it with PUT /v1/origins',
    );
    t.is(await connect(t, gateway, unlisted, key), '400');
  }
});

test('the handshake of an origin that is not known is answered 429 with Retry-After above the limit of its address', async (t) => {
  const { gateway, key } = await open(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 1 });
  t.is(await connect(t, gateway, unlisted, key), '400');
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, {
    origin: 'https://another.example.com',
  });
  t.teardown(() => socket.terminate());
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  t.is(response.statusCode, 429);
  t.regex(response.headers['retry-after']!, /^\d+$/);
  t.like(JSON.parse(await text(response)), { code: 'rate_limited' });
});

test('in a browser, a page reads with keys of the workspace that lists its origin only', async (t) => {
  const page = await openBrowserPage(t);
  if (!page) return;
  const { gateway, key, neighbour, change } = await open(t);
  const origin = await servePage(t);
  await page.goto(origin);
  const tryAll = ({ apiKey }: TestKey) =>
    page.evaluate(
      async ([base, authorization]) => {
        const outcome = (accept: string, path: string, query?: string) =>
          fetch(base + path, {
            ...(query && { method: 'POST', body: JSON.stringify({ query }) }),
            headers: { authorization, accept, 'content-type': 'application/json' },
          }).then(
            (response) => response.status,
            () => 'blocked',
          );
        const socket = new WebSocket(
          `${base.replace('http', 'ws')}/graphql`,
          'graphql-transport-ws',
        );
        const connected = new Promise<string>((resolve) => {
          const payload = { authorization };
          socket.addEventListener('open', () =>
            socket.send(JSON.stringify({ type: 'connection_init', payload })),
          );
          socket.addEventListener('message', () => resolve('acknowledged'));
          socket.addEventListener('close', ({ code }) => resolve(String(code)));
        });
        return {
          rest: await outcome('application/json', '/v1/contacts'),
          sse: await outcome('text/event-stream', '/graphql', '{ __typename }'),
          socket: await connected,
        };
      },
      [gateway.url, `Bearer ${apiKey}`] as const,
    );
  t.deepEqual(await tryAll(key), { rest: 'blocked', sse: 'blocked', socket: '1006' });
  change(key, [origin]);
  const allowed = { rest: 200, sse: 200, socket: 'acknowledged' };
  await eventually(async () => JSON.stringify(await tryAll(key)) === JSON.stringify(allowed));
  t.deepEqual(await tryAll(neighbour), { rest: 'blocked', sse: 'blocked', socket: '4403' });
});
