import { encodeId, Fault } from '@roster/contracts';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { hash, randomUUID } from 'node:crypto';
import { followLiveEvents } from '../graphql/subscriptions/follow-events.js';
import { PublishedEvents } from '../graphql/subscriptions/published-events.js';
import { openWebSocket, transports } from '../graphql/subscriptions/transports.js';
import type { TestKey } from '../stub-services.js';
import { bearer, gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';
import { TestTokens } from '../test-tokens.js';

const tokens = new TestTokens();
const valid = () => ({ valid: true, now: new Date().toISOString() });
let shared: TestGateway;
const gateway = () => shared;
test.before(async () => {
  shared = await testGateway({ CALLER_PUBLIC_KEYS: tokens.publicKeys });
  shared.stubs.answer('keys.check', valid);
});
test.after.always(() => shared?.close());

const link = `rsl_${'a'.repeat(48)}`;
const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const paths = ['link', 'open', 'token', 'end'] as const;

function post(
  { url }: Pick<TestGateway, 'url'>,
  path: (typeof paths)[number],
  body: unknown = {},
  headers: Record<string, string> = sameOrigin,
): Promise<Response> {
  return fetch(`${url}/console/session/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

/** The name and value of the cookie that a session is opened with. */
async function signIn(headers: Record<string, string> = sameOrigin): Promise<string> {
  const opened = await post(gateway(), 'open', { link }, headers);
  return opened.headers.get('set-cookie')!.split(';')[0]!;
}

/** A caller of a session, as the users service states it in a browser token. */
function sessionOf(key: TestKey): TestKey {
  return tokens.of({ ...key, keyId: encodeId('session', randomUUID()) }, { isFresh: true });
}

test('a session is opened with a link or an API key, and its cookie buys tokens and ends it', async (t) => {
  const described = await post(gateway(), 'link', { link });
  t.is(described.status, 200);
  t.like(await described.json(), { workspace: { name: 'Acme' }, user: { name: 'Ada' } });
  const { apiKey } = gateway().stubs.makeKey();
  for (const credential of [{ link }, { apiKey }]) {
    const opened = await post(gateway(), 'open', credential);
    t.is(opened.status, 201);
    t.like(await opened.json(), { token: 'rst_k1.e30.secret', user: { email: 'ada@example.com' } });
    const set = opened.headers.get('set-cookie')!;
    t.regex(set, /^roster_session=rss_[0-9a-f]{48}; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    t.is(opened.headers.get('cache-control'), 'no-store');
    const cookie = set.split(';')[0]!;
    const renewed = await post(gateway(), 'token', {}, { ...sameOrigin, cookie: `a=b; ${cookie}` });
    t.is(renewed.status, 200);
    t.like(await renewed.json(), { token: 'rst_k1.e30.secret' });
    const ended = await post(gateway(), 'end', {}, { ...sameOrigin, cookie });
    t.is(ended.status, 204);
    t.is(ended.headers.get('set-cookie'), 'roster_session=; Max-Age=0; HttpOnly; SameSite=Strict');
  }
});

test('fields that are not known, and two credentials at once, are refused, and open no session', async (t) => {
  const own = await gatewayFor(t);
  const { apiKey } = own.stubs.makeKey();
  for (const [path, body] of [
    ['open', { link, apiKey }],
    ['open', { link, name: 'x' }],
    ['link', { link, x: 1 }],
    ['token', { x: 1 }],
    ['end', { link }],
  ] as const) {
    const refused = await post(own, path, body);
    t.is(refused.status, 422, path);
    t.is(refused.headers.get('set-cookie'), null);
  }
  t.is(own.stubs.calls('sessions.open').length, 0);
});

test('who signs in again ends the session that the browser had', async (t) => {
  const own = await gatewayFor(t);
  const opened = await post(own, 'open', { link });
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  t.is(own.stubs.calls('sessions.end').length, 0);
  t.is((await post(own, 'open', { link }, { ...sameOrigin, cookie })).status, 201);
  const session = hash('sha256', cookie.split('=')[1]!, 'hex');
  t.deepEqual(
    own.stubs.calls('sessions.end').map(({ input }) => input),
    [{ session }],
  );
});

test('services receive the SHA-256 of secrets, and the address and browser of a sign-in', async (t) => {
  const before = gateway().stubs.calls('sessions.open').length;
  const cookie = await signIn({ ...sameOrigin, 'user-agent': 'Firefox' });
  const call = gateway().stubs.calls('sessions.open')[before]!;
  t.like(call, { address: '127.0.0.1', input: { userAgent: 'Firefox', by: { kind: 'link' } } });
  const sent = JSON.stringify(call.input);
  t.false(sent.includes(link.slice(4)) || sent.includes(cookie.split('=')[1]!));
});

test('with https the cookie is secure, and the other one is not read', async (t) => {
  const https = { ...sameOrigin, origin: 'https://roster.example.com' };
  const opened = await post(gateway(), 'open', { link }, https);
  const set = opened.headers.get('set-cookie')!;
  t.regex(set, /^__Secure-roster_session=rss_.*; HttpOnly; SameSite=Strict; Secure$/);
  const secure = set.split(';')[0]!;
  const open = secure.replace('__Secure-', '');
  t.is((await post(gateway(), 'token', {}, { ...https, cookie: secure })).status, 200);
  t.is((await post(gateway(), 'token', {}, { ...https, cookie: open })).status, 401);
  t.is((await post(gateway(), 'token', {}, { ...sameOrigin, cookie: secure })).status, 401);
});

test('requests of other pages, and of no page, are refused, and call no service', async (t) => {
  const own = await gatewayFor(t);
  const cookie = await signIn();
  const { host } = new URL(own.url);
  const others: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
    { origin: 'http://localhost:3000' },
    { origin: 'null' },
    {},
  ];
  for (const headers of others)
    for (const path of paths) {
      const response = await post(own, path, { link }, { ...headers, cookie });
      t.is(response.status, 403, `${path} ${JSON.stringify(headers)}`);
      t.is(response.headers.get('access-control-allow-origin'), null);
      t.is(response.headers.get('set-cookie'), null);
    }
  t.is(own.stubs.callCount, 0);
  for (const headers of [sameOrigin, { origin: `http://${host}` }])
    t.is((await post(own, 'token', {}, { ...headers, cookie })).status, 200);
});

test('only JSON objects are read, so that no form of another page can sign in', async (t) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
    t.is(
      (await post(gateway(), 'open', { link }, { ...sameOrigin, 'content-type': type })).status,
      415,
      type,
    );
  for (const [body, status] of [
    ['[]', 400],
    ['', 400],
    ['{"link": 7}', 422],
    ['{}', 422],
    [JSON.stringify({ link: 'x'.repeat(5000) }), 413],
  ] as const)
    t.is((await post(gateway(), 'open', body)).status, status, body.slice(0, 20));
  const bare = await fetch(`${gateway().url}/console/session/token`, {
    method: 'POST',
    headers: sameOrigin,
  });
  t.is(bare.status, 415);
  t.is((await fetch(`${gateway().url}/console/session/token`)).status, 405);
});

test('without a session, with a malformed one, or one that has ended, the answer is 401', async (t) => {
  for (const cookie of ['', 'roster_session=', 'roster_session=rss_x', 'other=1'])
    t.is(
      await codeOf(await post(gateway(), 'token', {}, { ...sameOrigin, cookie })),
      'unauthenticated',
    );
  t.is((await post(gateway(), 'end')).status, 204, 'signing out twice');
  const own = await gatewayFor(t);
  const cookie = await signIn();
  const ended = new Fault('unauthenticated', 'The session has ended. Sign in again.');
  for (const name of ['sessions.create-token', 'sessions.open', 'session-links.describe'])
    own.stubs.answer(name, () => ended);
  const renewed = await post(own, 'token', {}, { ...sameOrigin, cookie });
  t.is(renewed.status, 401);
  t.like(await renewed.json(), { code: 'unauthenticated', detail: ended.message });
  t.is((await post(own, 'open', { link })).status, 401);
  t.is((await post(own, 'link', { link })).status, 401);
});

test('unknown sessions, links and keys are limited per address, and a session that was valid lately is not', async (t) => {
  const own = await gatewayFor(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 4,
    TRUSTED_PROXIES: ['127.0.0.0/8'],
  });
  const from = (address: string, cookie = '') => ({
    ...sameOrigin,
    ...{ 'x-forwarded-for': address, cookie },
  });
  const cookie = await signIn();
  t.is((await post(own, 'token', {}, from('198.51.100.1', cookie))).status, 200);
  const unknown = new Fault('unauthenticated', 'Unknown.');
  own.stubs.answer('sessions.open', () => unknown);
  const attempts = [{ link }, { link: 'rsl_x' }, { apiKey: 'rsk_x' }, { link }];
  for (const body of attempts)
    t.is((await post(own, 'open', body, from('198.51.100.1'))).status, 401);
  t.is((await post(own, 'open', { link }, from('198.51.100.1'))).status, 429);
  t.is(own.stubs.calls('sessions.open').length, 2, 'malformed ones are not looked up');
  t.is((await post(own, 'token', {}, from('198.51.100.1', cookie))).status, 200);
  t.is((await post(own, 'open', { link }, from('198.51.100.2'))).status, 401);
});

test('the API reads no cookie, and takes the secret of a session for no key', async (t) => {
  const cookie = await signIn();
  const secret = cookie.split('=')[1]!;
  const { apiKey } = sessionOf(gateway().stubs.makeKey());
  const rest = (headers: Record<string, string>) =>
    fetch(`${gateway().url}/v1/contacts`, { headers: { ...sameOrigin, ...headers } });
  const graphql = (headers: Record<string, string>) =>
    fetch(`${gateway().url}/graphql`, {
      method: 'POST',
      headers: { ...sameOrigin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: '{ me { id } }' }),
    });
  const stream = (headers: Record<string, string>) =>
    fetch(`${gateway().url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify({ query: 'subscription { events { id } }' }),
    });
  for (const ask of [rest, graphql, stream])
    for (const headers of [{ cookie }, bearer(secret), { ...bearer(secret), cookie }] as Record<
      string,
      string
    >[])
      t.is((await ask(headers)).status, 401);
  for (const ask of [rest, graphql]) t.is((await ask(bearer(apiKey))).status, 200);
  const opened = await stream(bearer(apiKey));
  t.is(opened.status, 200);
  await opened.body?.cancel();
});

test('a WebSocket reads no cookie either', async (t) => {
  const cookie = await signIn();
  const { apiKey } = sessionOf(gateway().stubs.makeKey());
  const answerTo = (payload: object, headers: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const socket = openWebSocket(t, gateway().url, headers);
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
      socket.on('message', (data: Buffer) =>
        resolve((JSON.parse(data.toString()) as { type: string }).type),
      );
      socket.on('close', (code) => resolve(String(code)));
    });
  t.regex(await answerTo({}, { cookie }), /^44\d\d$/);
  t.regex(await answerTo({ Authorization: `Bearer ${cookie.split('=')[1]}` }, {}), /^44\d\d$/);
  t.is(await answerTo({ Authorization: `Bearer ${apiKey}` }, {}), 'connection_ack');
});

for (const [name, transport] of Object.entries(transports))
  test(`${name}: the end of a session ends what its tokens have open, and refuses them from then on`, async (t) => {
    const own = await gatewayFor(t, { CALLER_PUBLIC_KEYS: tokens.publicKeys });
    const events = await PublishedEvents.open(own.stubs);
    const session = sessionOf(own.stubs.makeKey());
    let isValid = true;
    own.stubs.answer('keys.check', () => ({ ...valid(), valid: isValid }));
    const received = await followLiveEvents(transport(t, own.url, session), events, session);
    isValid = false;
    own.stubs.bus.broadcast('keys.revoked', { keyId: session.keyId });
    await eventually(() => received.codes.includes('unauthenticated') && received.end);
    const after = await fetch(`${own.url}/v1/contacts`, { headers: bearer(session.apiKey) });
    t.is(after.status, 401);
  });

test('operations that require a key are answered for a token of a fresh sign-in only', async (t) => {
  const key = gateway().stubs.makeKey();
  const list = (isFresh: boolean) =>
    fetch(`${gateway().url}/v1/api-keys`, {
      headers: bearer(
        tokens.of({ ...key, keyId: encodeId('session', randomUUID()) }, { isFresh }).apiKey,
      ),
    });
  t.is((await list(true)).status, 200);
  const refused = await list(false);
  t.is(refused.status, 403);
  t.regex(((await refused.json()) as { detail: string }).detail, /sign in again/);
});

test('the log contains no secret of a session, a link or a token', async (t) => {
  const lines: string[] = [];
  const log = openLog('gateway', 'debug', { write: (line: string) => void lines.push(line) });
  const own = await gatewayFor(t, {}, { log });
  const opened = await post(own, 'open', { link });
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  await post(own, 'token', {}, { ...sameOrigin, cookie });
  await post(own, 'link', { link });
  own.stubs.answer('sessions.create-token', () => new Fault('unauthenticated', 'Ended.'));
  await post(own, 'token', {}, { ...sameOrigin, cookie });
  await post(own, 'end', {}, { ...sameOrigin, cookie });
  await eventually(() => lines.some((line) => line.includes('session.end')));
  for (const secret of [cookie.split('=')[1]!.slice(4), link.slice(4), 'rst_k1'])
    t.false(lines.join('').includes(secret));
});
