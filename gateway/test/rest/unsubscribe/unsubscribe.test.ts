import { Fault } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { texts } from '../../../rest/unsubscribe/unsubscribe-texts.js';
import type { TestKey } from '../../stub-services.js';
import { bearer, gatewayFor, sharedGateway, type TestGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const oneClick = 'List-Unsubscribe=One-Click';
const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

/** Without a key. */
const post = ({ url }: TestGateway, token: string, init: RequestInit = {}) =>
  fetch(`${url}/unsubscribe/${token}`, {
    method: 'POST',
    body: oneClick,
    headers: urlencoded,
    redirect: 'error',
    ...init,
  });

const usesOf = ({ stubs }: TestGateway, token: string) =>
  stubs
    .calls('unsubscribe-links.use')
    .filter(({ input }) => (input as { token: string }).token === token);

test('GET and HEAD show a page that asks, and change nothing', async (t) => {
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${gateway().url}/unsubscribe/look`, { method });
    t.is(response.status, 200);
    t.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const page = await response.text();
    if (method === 'GET')
      t.regex(page, /<form method="post">.*<button type="submit">Unsubscribe</s);
  }
  t.is(usesOf(gateway(), 'look').length, 0);
});

test('POST unsubscribes with either type of form, without a key, a cookie or a redirect', async (t) => {
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  for (const [token, init] of [
    ['as-urlencoded', {}],
    ['with-line-break', { body: `${oneClick}\r\n` }],
    ['as-multipart', { body: form, headers: {} }],
    ['with-undo', { body: `${oneClick}&undo=1.a` }],
  ] as const) {
    const response = await post(gateway(), token, init);
    t.is(response.status, 200);
    t.is(response.headers.get('set-cookie'), null);
    t.regex(await response.text(), /You are unsubscribed/);
    t.is(usesOf(gateway(), token).length, 1);
  }
});

test('POST without List-Unsubscribe=One-Click changes nothing', async (t) => {
  const wrong: [number, RequestInit][] = [
    [415, { body: null, headers: {} }],
    [415, { headers: { 'content-type': 'application/json' }, body: '{}' }],
    [422, { body: '' }],
    [422, { body: 'List-Unsubscribe=Yes' }],
    [422, { body: 'a=b' }],
    [422, { headers: { 'content-type': 'multipart/form-data' } }],
    [422, { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x\r\n' }],
    [413, { body: `${oneClick}&x=${'x'.repeat(20_000)}` }],
  ];
  for (const [status, init] of wrong) {
    const response = await post(gateway(), 'wrong', init);
    t.is(response.status, status, JSON.stringify(init));
    t.regex(await response.text(), /You are not unsubscribed yet/);
  }
  t.is(usesOf(gateway(), 'wrong').length, 0);
});

test('other methods are refused', async (t) => {
  const response = await fetch(`${gateway().url}/unsubscribe/x`, { method: 'DELETE' });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'GET, HEAD, POST');
});

test('the page after it offers to undo it, with the text of the service and no other field', async (t) => {
  const page = await (await post(gateway(), 'undone')).text();
  const [, text] = /name="undo" value="([^"]+)"/.exec(page)!;
  const response = await post(gateway(), 'undone', { body: new URLSearchParams({ undo: text! }) });
  t.is(response.status, 200);
  t.regex(await response.text(), /You are subscribed again/);
  const undone = gateway()
    .stubs.calls('unsubscribe-links.undo')
    .filter(({ input }) => (input as { token: string }).token === 'undone');
  t.deepEqual(
    undone.map(({ input }) => input),
    [{ token: 'undone', undo: text }],
  );
  // Looking at a link of a contact that is unsubscribed offers nothing: the reader of a forwarded email may be another.
  const own = await gatewayFor(t);
  own.stubs.answer('unsubscribe-links.get', () => ({ status: 'unsubscribed' }));
  const later = await (await fetch(`${own.url}/unsubscribe/later`)).text();
  t.regex(later, /You are unsubscribed/);
  t.notRegex(later, /<form/);
});

test('a page says why it cannot be undone', async (t) => {
  const own = await gatewayFor(t);
  const body = new URLSearchParams({ undo: 'x' });
  for (const [fault, status, title] of [
    [new Fault('conflict', 'The time to undo this has passed.'), 409, /can no longer be undone/],
    [new Fault('unavailable', 'Try again later.'), 503, /not subscribed again yet/],
    [new Fault('not_found', 'No such unsubscribe link.'), 404, /This link is not valid/],
  ] as const) {
    own.stubs.answer('unsubscribe-links.undo', () => fault);
    const response = await post(own, 'late', { body });
    t.is(response.status, status);
    t.regex(await response.text(), title);
  }
});

test('pages name the workspace, and leave it out if it cannot be found', async (t) => {
  const named = await (await fetch(`${gateway().url}/unsubscribe/named`)).text();
  t.true(named.includes('<bdi>Acme &lt;&amp; Söhne&gt;</bdi>'));
  const own = await gatewayFor(t);
  own.stubs.answer('workspaces.name', () => new Fault('unavailable', 'Try again later.'));
  const response = await fetch(`${own.url}/unsubscribe/unnamed`);
  t.is(response.status, 200);
  t.regex(await response.text(), /stop receiving these emails/);
});

test('pages have the language that the reader prefers, if they are written in it', async (t) => {
  for (const [accepted, language, title] of [
    ['de-CH,de;q=0.9,en;q=0.8', 'de', 'Abmelden'],
    ['nl, fr;q=0.5, es;q=0.7', 'es', 'Cancelar la suscripción'],
    ['pt-BR', 'pt', 'Cancelar a subscrição'],
    ['ja', 'ja', '配信停止'],
    ['fr;q=0, constructor, *', 'en', 'Unsubscribe'],
    ['', 'en', 'Unsubscribe'],
  ] as const) {
    const response = await fetch(`${gateway().url}/unsubscribe/language`, {
      headers: { 'accept-language': accepted },
    });
    t.is(response.headers.get('content-language'), language);
    t.regex(response.headers.get('vary')!, /Accept-Language/);
    const page = await response.text();
    t.true(page.includes(`<html lang="${language}">`));
    t.true(page.includes(`<h1>${title}</h1>`), accepted);
  }
});

test('every language has every text, and the place of the name where English has it', (t) => {
  const shape = (texts: object) =>
    Object.entries(texts).map(([page, text]: [string, string | object]) => [
      page,
      typeof text === 'string' ? text.length > 0 : Object.keys(text),
      JSON.stringify(text).split('{name}').length,
    ]);
  for (const [language, own] of Object.entries(texts))
    t.deepEqual(shape(own), shape(texts['en']!), language);
});

test('pages load a stylesheet below their own path alone, are neither framed, cached nor indexed, and send their address to nobody', async (t) => {
  const response = await fetch(`${gateway().url}/unsubscribe/headers`);
  const policy = response.headers.get('content-security-policy')!;
  for (const part of [
    "default-src 'none'",
    "style-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
    t.true(policy.includes(part), part);
  t.notRegex(policy, /script-src|unsafe/);
  t.is(response.headers.get('referrer-policy'), 'no-referrer');
  t.is(response.headers.get('cache-control'), 'no-store');
  t.regex(response.headers.get('x-robots-tag')!, /noindex/);
  const page = await response.text();
  t.notRegex(page, /<script|src=/);
  const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link]) => link!);
  t.deepEqual(links, ['data:,', 'assets/pages.css']);
  const style = await fetch(new URL(links[1]!, `${gateway().url}/unsubscribe/headers`));
  t.is(style.status, 200);
});

test('an unknown link is answered 404, whatever its text', async (t) => {
  const own = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 0 });
  const unknown = new Fault('not_found', 'No such unsubscribe link.');
  own.stubs.answer('unsubscribe-links.get', () => unknown);
  own.stubs.answer('unsubscribe-links.use', () => unknown);
  for (const token of ['x', 'a'.repeat(64), 'a'.repeat(2000), '%00', 'ä'])
    for (const response of [
      await fetch(`${own.url}/unsubscribe/${token}`),
      await post(own, token),
    ]) {
      t.is(response.status, 404, token);
      t.regex(await response.text(), /This link is not valid/);
    }
});

test('an address that has sent many unknown links is refused without a look-up, and no other address', async (t) => {
  const own = await gatewayFor(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 4,
    TRUSTED_PROXIES: ['127.0.0.0/8'],
  });
  own.stubs.answer('unsubscribe-links.use', ({ input }) =>
    (input as { token: string }).token === 'known'
      ? undefined
      : new Fault('not_found', 'No such unsubscribe link.'),
  );
  const from = (address: string) => ({ headers: { ...urlencoded, 'x-forwarded-for': address } });
  for (let n = 0; n < 4; n += 1)
    t.is((await post(own, 'unknown', from('198.51.100.1'))).status, 404);
  const refused = await post(own, 'unknown', from('198.51.100.1'));
  t.is(refused.status, 429);
  t.truthy(refused.headers.get('retry-after'));
  t.is(usesOf(own, 'unknown').length, 4);
  t.is((await post(own, 'known', from('198.51.100.2'))).status, 200);
});

test('unknown links of an address do not lock out its keys, nor do its invalid keys lock out a link', async (t) => {
  const own = await gatewayFor(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 3,
    TRUSTED_PROXIES: ['127.0.0.0/8'],
  });
  own.stubs.answer('unsubscribe-links.get', ({ input }) =>
    (input as { token: string }).token === 'known'
      ? { status: 'subscribed' }
      : new Fault('not_found', 'No such unsubscribe link.'),
  );
  const statusOf = async (path: string, address: string, headers = {}) =>
    (await fetch(own.url + path, { headers: { 'x-forwarded-for': address, ...headers } })).status;
  const list = (address: string, { apiKey }: TestKey) =>
    statusOf('/v1/contacts', address, bearer(apiKey));
  const [visitor, client] = ['198.51.100.1', '198.51.100.2'];
  for (const status of [404, 404, 404, 429])
    t.is(await statusOf('/unsubscribe/x', visitor), status);
  t.is(await list(visitor, own.stubs.makeKey()), 200);
  for (const status of [401, 401, 401, 429]) {
    const unknown = own.stubs.makeKey();
    own.stubs.revoke(unknown);
    t.is(await list(client, unknown), status);
  }
  t.is(await statusOf('/unsubscribe/known', client), 200);
});

test('bodies of one address that do not arrive take a share, and those of other addresses are received', async (t) => {
  const { port, metrics } = await gatewayFor(t, { TRUSTED_PROXIES: ['127.0.0.0/8'] });
  const announce = (address: string) => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write(
      `POST /unsubscribe/slow HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nConnection: close\r\n` +
        `Content-Type: ${urlencoded['content-type']}\r\nContent-Length: ${oneClick.length}\r\n\r\n`,
    );
    return { socket, answer: text(socket) };
  };
  const inTransit = async (count: number) =>
    (await metrics.metrics()).includes(`roster_http_bodies_in_transit{service="gateway"} ${count}`);
  const slow = Array.from({ length: 40 }, () => announce('2001:db8::1'));
  t.regex(await Promise.any(slow.map(({ answer }) => answer)), /^HTTP\/1.1 503 /);
  await eventually(() => inTransit(31));
  const other = announce('2001:db8:0:1::1');
  await eventually(() => inTransit(32));
  other.socket.write(oneClick);
  t.regex(await other.answer, /^HTTP\/1.1 200 /);
});

test('many uses of valid links of one address are answered', async (t) => {
  const own = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 2 });
  for (let n = 0; n < 10; n += 1) t.is((await post(own, 'known')).status, 200);
});

test('a page says that nothing was done when no service answers', async (t) => {
  const own = await gatewayFor(t);
  own.stubs.answer(
    'unsubscribe-links.use',
    () => new Fault('unavailable', 'Try again later.', { retryAfterSeconds: 1 }),
  );
  const response = await post(own, 'later');
  t.is(response.status, 503);
  t.is(response.headers.get('retry-after'), '1');
  t.regex(await response.text(), /You are not unsubscribed yet/);
});

test('a contact with its address has no ETag, because its version is that without it', async (t) => {
  const path = '/v1/contacts/cont_01jdd2wys0fgyhz8h5dak91jnw';
  const plain = await gateway().send(path);
  const withUrl = await gateway().send(`${path}?include=unsubscribeUrl`);
  t.deepEqual([plain.status, withUrl.status], [200, 200]);
  t.truthy(plain.headers.get('etag'));
  t.is(withUrl.headers.get('etag'), null);
});
