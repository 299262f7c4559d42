import { Fault } from '@roster/contracts';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { hash } from 'node:crypto';
import { problemIn } from '../../problem-document.js';
import { bearer, gatewayFor, testGateway, type TestGateway } from '../../test-gateway.js';
import { TestTokens } from '../../test-tokens.js';
import { contactOf, stubContacts } from './stub-contacts.js';

const tokens = new TestTokens();
const secret = `rel_${'a'.repeat(48)}`;
const settings = { CALLER_PUBLIC_KEYS: tokens.publicKeys };
const valid = () => ({ valid: true, now: new Date().toISOString() });

/** Answers the use of the link as the users service does, for a key. Returns the key. */
function answerLink({ stubs }: TestGateway, input: object = { format: 'ndjson', tag: ['vip'] }) {
  const key = stubs.makeKey();
  const { apiKey: token } = tokens.of(key, { readOnly: true, operations: ['contacts.export'] });
  stubs.answer('keys.check', valid);
  stubs.answer('export-links.use', () => ({ token, input }));
  stubContacts(stubs, [contactOf()]);
  return key;
}

test('a browser without a key gets the file of the link, as the key that made it, and the secret stays in the gateway', async (t) => {
  const lines: string[] = [];
  const log = openLog('gateway', 'trace', { write: (line) => void lines.push(line) });
  const gateway = await testGateway(settings, { log });
  t.teardown(() => gateway.close());
  const { workspaceId, keyId } = answerLink(gateway);
  const response = await fetch(`${gateway.url}/exports/${secret}`);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'application/x-ndjson');
  t.is(response.headers.get('content-disposition'), 'attachment; filename="contacts.ndjson"');
  t.is(response.headers.get('referrer-policy'), 'no-referrer');
  t.is(response.headers.get('cache-control'), 'no-store');
  t.regex(response.headers.get('x-robots-tag')!, /noindex/);
  t.deepEqual(JSON.parse(await response.text()), contactOf());
  const { stubs } = gateway;
  t.deepEqual(stubs.calls('export-links.use')[0]!.input, { link: hash('sha256', secret, 'hex') });
  const [begun] = stubs.calls('contacts.export');
  t.deepEqual(begun!.input, { format: 'ndjson', tag: ['vip'] });
  t.like(begun!.caller, { workspaceId, keyId });
  t.like(stubs.calls('contacts.find')[0]!.input, { tag: ['vip'] });
  await eventually(() => lines.some((line) => line.includes('export ended')));
  const logged = lines.join('');
  t.true(logged.includes('/exports/{link}'));
  t.false(logged.includes(secret.slice(4)));
  t.false((await gateway.metrics.metrics()).includes(secret.slice(4)));
});

test('HEAD, a prefetch and other methods leave the link unused', async (t) => {
  const gateway = await gatewayFor(t, settings);
  answerLink(gateway);
  const url = `${gateway.url}/exports/${secret}`;
  t.is((await fetch(url, { method: 'HEAD' })).status, 405);
  t.is((await fetch(url, { headers: { 'sec-purpose': 'prefetch;prerender' } })).status, 503);
  t.is((await fetch(url, { method: 'POST' })).status, 405);
  t.is(gateway.stubs.calls('export-links.use').length, 0);
});

test('the link decides whose contacts are exported, whatever key the request has', async (t) => {
  const gateway = await gatewayFor(t, settings);
  const { workspaceId } = answerLink(gateway);
  const other = gateway.stubs.makeKey();
  // The key of the request is known to the gateway.
  await gateway.send('/v1/contacts', { headers: bearer(other.apiKey) });
  const response = await fetch(`${gateway.url}/exports/${secret}`, {
    headers: bearer(other.apiKey),
  });
  t.is(response.status, 200);
  await response.text();
  t.is(gateway.stubs.calls('contacts.export')[0]!.caller.workspaceId, workspaceId);
});

test('exports by links share the limits of the others', async (t) => {
  const gateway = await testGateway(settings, { exportLimits: { workspace: 1 } });
  t.teardown(() => gateway.close());
  const key = answerLink(gateway);
  const many = Array.from({ length: 5_000 }, () =>
    contactOf({ properties: { note: 'x'.repeat(3000) } }),
  );
  stubContacts(gateway.stubs, many);
  const first = await fetch(`${gateway.url}/v1/exports/contacts`, { headers: bearer(key.apiKey) });
  t.is(first.status, 200);
  const refused = await fetch(`${gateway.url}/exports/${secret}`);
  t.like(await problemIn(refused), { code: 'rate_limited', status: 429 });
  await first.body!.cancel();
});

test('an unknown, used or malformed link is answered with a page that does not contain it, and counts against the address', async (t) => {
  const gateway = await gatewayFor(t, { ...settings, FAILED_AUTHENTICATIONS_PER_MINUTE: 3 });
  gateway.stubs.answer('export-links.use', () => new Fault('unauthenticated', 'No such link.'));
  for (const link of [secret, 'rel_short', `${secret}0`]) {
    const response = await fetch(`${gateway.url}/exports/${link}`);
    t.is(response.status, 404, link);
    t.is(response.headers.get('referrer-policy'), 'no-referrer');
    const page = await response.text();
    t.true(page.includes('This link is not valid'));
    t.false(page.includes('rel_'));
  }
  t.is(gateway.stubs.calls('export-links.use').length, 1);
  const refused = await fetch(`${gateway.url}/exports/${secret}`);
  t.is(refused.status, 429);
  t.is(gateway.stubs.calls('export-links.use').length, 1);
});

test('an export by a link is broken off when its key is revoked', async (t) => {
  const gateway = await gatewayFor(t, settings);
  const { keyId } = answerLink(gateway);
  let pages = 0;
  gateway.stubs.answer('contacts.find', ({ input }) => {
    pages += 1;
    const { limit, after = '0' } = input as { limit: number; after?: string };
    if (pages === 3) {
      gateway.stubs.answer('keys.check', () => ({ ...valid(), valid: false }));
      gateway.stubs.bus.broadcast('keys.revoked', { keyId });
    }
    return {
      contacts: Array.from({ length: limit }, () => contactOf()),
      pagination: { total: null, limit, offset: 0, next: String(Number(after) + limit) },
    };
  });
  const response = await fetch(`${gateway.url}/exports/${secret}`);
  t.is(response.status, 200);
  await t.throwsAsync(response.text());
});
