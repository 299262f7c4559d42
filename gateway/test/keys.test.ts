import { Fault } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { problemIn } from './problem-document.js';
import { bearer, gatewayFor, testGateway, type TestGateway } from './test-gateway.js';
import type { TestKey } from './stub-services.js';

let shared: TestGateway;
test.before(async () => void (shared = await testGateway({ KEY_CACHE_SECONDS: 60 })));
test.after.always(() => shared.close());

const statusWith = async ({ url }: TestGateway, { apiKey }: TestKey) =>
  (await fetch(`${url}/v1/contacts`, { headers: bearer(apiKey) })).status;

const verificationsIn = ({ stubs }: TestGateway) => stubs.calls('keys.verify').length;

test.serial(
  'requests of one key at the same time share one look-up, later ones ask nobody',
  async (t) => {
    const key = shared.stubs.makeKey();
    const before = verificationsIn(shared);
    const statuses = await Promise.all(Array.from({ length: 100 }, () => statusWith(shared, key)));
    t.true(statuses.every((status) => status === 200));
    t.is(verificationsIn(shared), before + 1);
    t.is(await statusWith(shared, key), 200);
    t.is(verificationsIn(shared), before + 1);
  },
);

test.serial(
  'an unknown key is remembered for a second, so that repeating it asks nobody',
  async (t) => {
    const askTwice = async () => {
      const key = shared.stubs.makeKey();
      shared.stubs.revoke(key);
      const before = verificationsIn(shared);
      const started = performance.now();
      t.is(await statusWith(shared, key), 401);
      t.is(await statusWith(shared, key), 401);
      return { asked: verificationsIn(shared) - before, tookMs: performance.now() - started };
    };
    let last = await askTwice();
    while (last.tookMs >= 1000) last = await askTwice();
    t.is(last.asked, 1);
  },
);

test.serial(
  'a revoked key stops with the broadcast, long before it would be looked up again, and its neighbours go on',
  async (t) => {
    const key = shared.stubs.makeKey();
    const neighbour = shared.stubs.makeKey({ workspaceId: key.workspaceId });
    t.is(await statusWith(shared, key), 200);
    t.is(await statusWith(shared, neighbour), 200);
    shared.stubs.revoke(key);
    shared.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
    await eventually(async () => (await statusWith(shared, key)) === 401);
    const before = verificationsIn(shared);
    t.is(await statusWith(shared, neighbour), 200);
    t.is(verificationsIn(shared), before);
  },
);

test('a look-up under way when a key is revoked is neither joined nor remembered', async (t) => {
  const gateway = await gatewayFor(t, { KEY_CACHE_SECONDS: 60 });
  const key = gateway.stubs.makeKey();
  const { apiKey: _, ...fromBefore } = key;
  const gate = Promise.withResolvers<void>();
  gateway.stubs.answer('keys.verify', async () => {
    if (verificationsIn(gateway) > 1) return new Fault('unauthenticated', 'Revoked.');
    await gate.promise;
    return fromBefore;
  });
  const first = statusWith(gateway, key);
  await eventually(() => verificationsIn(gateway) === 1);
  gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
  const newcomers: number[] = [];
  await eventually(() => {
    void statusWith(gateway, key).then((status) => newcomers.push(status));
    return newcomers.includes(401);
  });
  gate.resolve();
  t.is(await first, 200);
  t.is(await statusWith(gateway, key), 401);
});

test('all keys are asked for again after NATS was away, for a revocation may have been missed', async (t) => {
  const gateway = await gatewayFor(t, { KEY_CACHE_SECONDS: 60 });
  const key = gateway.stubs.makeKey();
  t.is(await statusWith(gateway, key), 200);
  gateway.stubs.revoke(key);
  await gateway.nats.restart();
  await eventually(async () => (await statusWith(gateway, key)) === 401);
  t.pass();
});

test('a cached key stops at its expiry', async (t) => {
  let key: TestKey;
  let expiresAt: number;
  let remainingMs = 250;
  // On a busy machine it may expire before it is looked up: then later.
  do {
    remainingMs *= 2;
    expiresAt = Date.now() + remainingMs;
    key = shared.stubs.makeKey({ expiresAt: new Date(expiresAt).toISOString() });
  } while ((await statusWith(shared, key)) === 401);
  await eventually(async () => (await statusWith(shared, key)) === 401);
  t.true(Date.now() >= expiresAt);
});

test('every key acts as its own workspace, user and key', async (t) => {
  const keys = [shared.stubs.makeKey(), shared.stubs.makeKey()];
  await Promise.all(
    keys.flatMap((key) =>
      Array.from({ length: 20 }, (_, index) =>
        fetch(`${shared.url}/v1/webhooks`, {
          headers: { ...bearer(key.apiKey), 'x-request-id': `${key.keyId}/${index}` },
        }),
      ),
    ),
  );
  for (const { keyId, workspaceId, userId, scopes } of keys) {
    const calls = shared.stubs
      .calls('webhooks.list')
      .filter(({ requestId }) => requestId.startsWith(keyId));
    t.is(calls.length, 20);
    for (const { caller } of calls) t.deepEqual(caller, { keyId, workspaceId, userId, scopes });
  }
});

test('a key over its rate gets 429 with Retry-After, and others do not', async (t) => {
  const gateway = await gatewayFor(t, { RATE_LIMIT_PER_SECOND: 5 });
  const [eager, modest] = [gateway.stubs.makeKey(), gateway.stubs.makeKey()];
  const started = performance.now();
  const responses = await Promise.all(
    Array.from({ length: 50 }, () =>
      fetch(`${gateway.url}/v1/contacts`, { headers: bearer(eager.apiKey) }),
    ),
  );
  const refused = responses.filter(({ status }) => status === 429);
  // Five at once, and five a second.
  const allowed = Math.ceil(5 + (5 * (performance.now() - started)) / 1000);
  t.true(refused.length >= 50 - allowed && refused.length <= 45, String(refused.length));
  t.is((await problemIn(refused[0]!)).code, 'rate_limited');
  t.is(refused[0]!.headers.get('retry-after'), '1');
  const response = await fetch(`${gateway.url}/v1/contacts`, { headers: bearer(modest.apiKey) });
  t.is(response.status, 200);
  t.is(response.headers.get('ratelimit-policy'), '"key";q=5;w=1');
  t.is(response.headers.get('ratelimit'), '"key";r=4;t=1');
  await eventually(async () => (await statusWith(gateway, eager)) === 200);
});
