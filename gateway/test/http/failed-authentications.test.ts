import { eventually } from '@roster/testing';
import test from 'ava';
import type { TestKey } from '../stub-services.js';
import { bearer, gatewayFor, type TestGateway } from '../test-gateway.js';
import { TestTokens } from '../test-tokens.js';

const trusted = ['127.0.0.0/8'];

const get = ({ url }: TestGateway, { apiKey }: Pick<TestKey, 'apiKey'>, forwardedFor?: string) =>
  fetch(`${url}/v1/contacts`, {
    headers: {
      ...bearer(apiKey),
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    },
  });

/** A well-formed key that no service knows. */
function unknownKey({ stubs }: TestGateway): TestKey {
  const key = stubs.makeKey();
  stubs.revoke(key);
  return key;
}

test('refuses invalid keys without a look-up when many have come from an address, and no other address', async (t) => {
  const gateway = await gatewayFor(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 5,
    TRUSTED_PROXIES: trusted,
  });
  const verified = gateway.stubs.makeKey();
  t.is((await get(gateway, verified, '198.51.100.1')).status, 200);
  for (let failures = 0; failures < 5; failures += 1)
    t.is((await get(gateway, unknownKey(gateway), '198.51.100.1')).status, 401);
  const lookUps = gateway.stubs.calls('keys.verify').length;
  const refused = await get(gateway, unknownKey(gateway), '198.51.100.1');
  t.is(refused.status, 429);
  const retryAfter = Number(refused.headers.get('retry-after'));
  t.true(retryAfter > 0 && retryAfter <= 12, String(retryAfter));
  t.like(await refused.json(), { code: 'rate_limited' });
  t.is((await get(gateway, { apiKey: 'rsk_malformed' }, '198.51.100.1')).status, 429);
  t.is(gateway.stubs.calls('keys.verify').length, lookUps);
  // A key that was verified before works, an unknown one from another address is looked up.
  t.is((await get(gateway, verified, '198.51.100.1')).status, 200);
  t.is((await get(gateway, unknownKey(gateway), '198.51.100.2')).status, 401);
  t.is((await get(gateway, gateway.stubs.makeKey(), '198.51.100.2')).status, 200);
});

test('above the limit, browser tokens are refused unverified, unless they were verified lately', async (t) => {
  const tokens = new TestTokens();
  const gateway = await gatewayFor(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 3,
    CALLER_PUBLIC_KEYS: tokens.publicKeys,
  });
  const revoked = new Set<string>();
  gateway.stubs.answer('keys.check', ({ input }) => ({
    valid: !revoked.has((input as { keyId: string }).keyId),
  }));
  const key = gateway.stubs.makeKey();
  const [verified, late] = [tokens.of(key), tokens.of(key)];
  t.is((await get(gateway, verified)).status, 200);
  const { apiKey } = tokens.of(key);
  const forged = { apiKey: `${apiKey.slice(0, -4)}${apiKey.endsWith('AAAA') ? 'QQQQ' : 'AAAA'}` };
  for (let failures = 0; failures < 3; failures += 1)
    t.is((await get(gateway, forged)).status, 401);
  t.is((await get(gateway, forged)).status, 429);
  t.is((await get(gateway, late)).status, 429, 'valid, but not verified before');
  t.is((await get(gateway, verified)).status, 200);
  revoked.add(key.keyId);
  gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
  await eventually(async () => (await get(gateway, verified)).status === 429);
  const checks = gateway.stubs.calls('keys.check').length;
  t.is((await get(gateway, verified)).status, 429);
  t.is(gateway.stubs.calls('keys.check').length, checks);
});

test('many requests with the same revoked key do not exhaust the limit of their address', async (t) => {
  const gateway = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 30 });
  const revoked = unknownKey(gateway);
  const flood = () =>
    Promise.all(Array.from({ length: 50 }, async () => (await get(gateway, revoked)).status));
  for (let floods = 0; floods < 3; floods += 1) t.deepEqual(new Set(await flood()), new Set([401]));
  t.is((await get(gateway, gateway.stubs.makeKey())).status, 200);
});

test('an IPv6 client is limited by its /64 network', async (t) => {
  const gateway = await gatewayFor(t, {
    FAILED_AUTHENTICATIONS_PER_MINUTE: 3,
    TRUSTED_PROXIES: trusted,
  });
  for (let failures = 0; failures < 3; failures += 1)
    t.is((await get(gateway, unknownKey(gateway), `2001:db8::${failures}`)).status, 401);
  t.is((await get(gateway, unknownKey(gateway), '2001:db8::ffff:0:0:1')).status, 429);
  t.is((await get(gateway, unknownKey(gateway), '2001:db8:0:1::1')).status, 401);
});

test('a client cannot change its address: forwarded addresses are ignored unless the proxy is trusted', async (t) => {
  const gateway = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 3 });
  const statuses: number[] = [];
  for (let client = 0; client < 6; client += 1)
    statuses.push((await get(gateway, unknownKey(gateway), `198.51.100.${client}`)).status);
  t.deepEqual(statuses, [401, 401, 401, 429, 429, 429]);
});

test('a flood of simultaneous invalid keys is looked up only until the first failures are known', async (t) => {
  const gateway = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 10 });
  const flood = () =>
    Promise.all(
      Array.from({ length: 50 }, async () => (await get(gateway, unknownKey(gateway))).status),
    );
  // Failures beyond the limit are subtracted from what is refilled.
  await eventually(async () => (await flood()).every((status) => status === 429));
  const lookUps = gateway.stubs.calls('keys.verify').length;
  t.deepEqual(new Set(await flood()), new Set([429]));
  t.is(gateway.stubs.calls('keys.verify').length, lookUps);
});

test('requests without a key and keys that cannot be verified do not count as failures', async (t) => {
  const gateway = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 1 });
  for (let requests = 0; requests < 3; requests += 1)
    t.is((await fetch(`${gateway.url}/v1/contacts`)).status, 401);
  await gateway.stubs.stop('users');
  t.is((await get(gateway, gateway.stubs.makeKey())).status, 503);
  gateway.stubs.start('users');
  const key = gateway.stubs.makeKey();
  await eventually(async () => (await get(gateway, key)).status === 200);
  t.is((await get(gateway, unknownKey(gateway))).status, 401);
  t.is((await get(gateway, unknownKey(gateway))).status, 429);
});
