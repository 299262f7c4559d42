import { Fault } from '@roster/contracts';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';

let shared: TestGateway;
const gateway = () => shared;
test.before(async () => {
  shared = await testGateway();
});
test.after.always(() => shared?.close());

const link = `rsl_${'a'.repeat(48)}`;
const secondLink = `rsl_${'b'.repeat(48)}`;
const query = 'code=secret-code&state=s';

const visit = (
  { url }: Pick<TestGateway, 'url'>,
  path: string,
  headers: Record<string, string> = {},
) => fetch(`${url}/console/session/oidc/${path}`, { redirect: 'manual', headers });

const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!;

/** The way back from the issuer, in the browser that was sent there. */
async function comeBack(to: TestGateway, headers: Record<string, string> = {}): Promise<Response> {
  const cookie = cookieOf(await visit(to, 'start'));
  return visit(to, `callback?${query}`, { cookie, 'sec-fetch-site': 'cross-site', ...headers });
}

/** What the page for signing in asks for. */
async function methodsOf({ url }: Pick<TestGateway, 'url'>): Promise<unknown> {
  const response = await fetch(`${url}/console/session/methods`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: '{}',
  });
  return response.json();
}

test('a browser is sent to the issuer, and comes back to the console with a link that the address bar sends nowhere', async (t) => {
  const started = await visit(gateway(), 'start', { 'sec-fetch-site': 'same-origin' });
  t.is(started.status, 303);
  t.is(started.headers.get('location'), 'https://id.example.com/authorize?state=s');
  t.regex(
    started.headers.get('set-cookie')!,
    /^roster_sign_in=[\w.-]+; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  const own = await gatewayFor(t);
  own.stubs.answer('identity-sign-ins.finish', () => ({
    links: [link, secondLink],
    refusal: null,
  }));
  const back = await comeBack(own);
  t.is(back.status, 303);
  t.is(back.headers.get('location'), `../../../console#link=${link},${secondLink}`);
  t.is(back.headers.get('cache-control'), 'no-store');
  t.is(back.headers.get('referrer-policy'), 'no-referrer');
  t.regex(back.headers.get('set-cookie')!, /^roster_sign_in=; Max-Age=0;/);
  t.like(own.stubs.calls('identity-sign-ins.finish')[0]!.input, { query });
});

test('with https, the cookie is sent with https only', async (t) => {
  const own = await gatewayFor(t);
  own.stubs.answer('identity-sign-ins.start', () => ({
    url: 'https://id.example.com/authorize',
    redirectUri: 'https://contacts.example.com/console/session/oidc/callback',
    attempt: ['s', 'n', 'v'].map((one) => one.repeat(43)).join('.'),
  }));
  const { headers } = await visit(own, 'start');
  t.regex(headers.get('set-cookie')!, /^__Secure-roster_sign_in=.*; Secure$/);
  const back = await comeBack(own);
  t.regex(back.headers.get('location')!, /#link=/);
});

test('the way back without the cookie, or with a malformed one, asks nobody', async (t) => {
  const own = await gatewayFor(t);
  for (const cookie of ['', 'roster_sign_in=', 'roster_sign_in=a.b.c', 'other=1']) {
    const back = await visit(own, `callback?${query}`, { cookie });
    t.is(back.status, 303);
    t.is(back.headers.get('location'), '../../../console#sign-in=expired');
  }
  t.is(own.stubs.callCount, 0);
});

test('what fails ends at the console with its reason, and failures are limited per address', async (t) => {
  const own = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 3 });
  const reason = (response: Response) => response.headers.get('location')!.split('#sign-in=')[1];
  own.stubs.answer('identity-sign-ins.start', () => new Fault('unavailable', 'Away.'));
  t.is(reason(await visit(own, 'start')), 'unavailable');
  const attempt = ['s', 'n', 'v'].map((one) => one.repeat(43)).join('.');
  const callback = () => visit(own, `callback?${query}`, { cookie: `roster_sign_in=${attempt}` });
  own.stubs.answer('identity-sign-ins.finish', () => new Fault('unavailable', 'Away.'));
  t.is(reason(await callback()), 'unavailable');
  for (const refusal of ['unknown', 'unverified', 'refused']) {
    own.stubs.answer('identity-sign-ins.finish', () => ({ links: [], refusal }));
    t.is(reason(await callback()), refusal);
  }
  const before = own.stubs.callCount;
  t.is(reason(await callback()), 'limited');
  t.is(reason(await visit(own, 'start')), 'limited');
  t.is(own.stubs.callCount, before);
});

test('a page that sends the browser back without a sign-in does not end one', async (t) => {
  const own = await gatewayFor(t);
  own.stubs.answer('identity-sign-ins.finish', () => ({ links: [], refusal: 'expired' }));
  const back = await comeBack(own);
  t.is(back.headers.get('location'), '../../../console#sign-in=expired');
  t.is(back.headers.get('set-cookie'), null);
});

test('while the issuer does not answer, sign-ins of an address are bounded, and other requests without a key are answered', async (t) => {
  const own = await gatewayFor(t, { MAX_CONCURRENT: 64 });
  const held = Promise.withResolvers<{ links: string[]; refusal: null }>();
  own.stubs.answer('identity-sign-ins.finish', () => held.promise);
  const cookie = cookieOf(await visit(own, 'start'));
  const visits: Promise<Response>[] = [];
  while (visits.length < 8) {
    visits.push(visit(own, `callback?${query}`, { cookie }));
    await eventually(() => own.stubs.calls('identity-sign-ins.finish').length === visits.length);
  }
  const excess = await visit(own, `callback?${query}`, { cookie });
  t.is(excess.headers.get('location'), '../../../console#sign-in=unavailable');
  // They would have all slots of requests without a key.
  t.deepEqual(await methodsOf(own), { identityProvider: 'id.example.com' });
  held.resolve({ links: [link], refusal: null });
  for (const { headers } of await Promise.all(visits))
    t.is(headers.get('location'), `../../../console#link=${link}`);
});

test('another site cannot start a sign-in', async (t) => {
  const own = await gatewayFor(t);
  for (const site of ['cross-site', 'same-site'])
    t.is((await visit(own, 'start', { 'sec-fetch-site': site })).status, 404);
  t.is(own.stubs.callCount, 0);
});

test('the page for signing in learns whether there is an issuer', async (t) => {
  const own = await gatewayFor(t);
  t.deepEqual(await methodsOf(own), { identityProvider: 'id.example.com' });
  own.stubs.answer('identity-sign-ins.describe', () => ({ host: null }));
  t.deepEqual(await methodsOf(own), { identityProvider: null });
});

test('the log contains neither the code nor the link nor what the browser keeps', async (t) => {
  const lines: string[] = [];
  const log = openLog('gateway', 'debug', { write: (line: string) => void lines.push(line) });
  const own = await gatewayFor(t, {}, { log });
  await comeBack(own);
  await eventually(() => lines.some((line) => line.includes('session.oidc-callback')));
  for (const secret of ['secret-code', link.slice(4), 'v'.repeat(43)])
    t.false(lines.join('').includes(secret));
});
