import { uuidOf, type Scope } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

test('both secrets verify as the same key during the overlap, and the previous one until its end', async (t) => {
  const owner = await makeWorkspace(bench());
  const before = await create(owner);
  const started = Date.now();
  const after = await rotate(owner, before.apiKey.id, 3600);
  t.is(after.apiKey.id, before.apiKey.id);
  t.not(after.secret, before.secret);
  t.is(after.apiKey.prefix, after.secret.slice(0, 10));
  t.is((await verify(bench(), after.secret)).expiresAt, null);
  const previous = await verify(bench(), before.secret);
  t.is(previous.keyId, before.apiKey.id);
  const until = Date.parse(previous.expiresAt!);
  t.true(until >= started + 3_600_000 && until <= Date.now() + 3_600_000);
});

test('refuses the previous secret from the end of the overlap', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner);
  const { secret: current } = await rotate(owner, apiKey.id, 3600);
  await moveOverlap(apiKey.id, -3601);
  await t.throwsAsync(verify(bench(), secret), { code: 'unauthenticated' });
  await t.notThrowsAsync(verify(bench(), current));
});

test('without overlap, the previous secret is refused at once', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner);
  const { secret: current } = await rotate(owner, apiKey.id, 0);
  await t.throwsAsync(verify(bench(), secret), { code: 'unauthenticated' });
  await t.notThrowsAsync(verify(bench(), current));
});

test('the previous secret expires with the key, if that is earlier', async (t) => {
  const owner = await makeWorkspace(bench());
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { apiKey, secret } = await create(owner, { expiresAt });
  await rotate(owner, apiKey.id, 3600);
  t.is((await verify(bench(), secret)).expiresAt, expiresAt);
});

test('a revocation ends both secrets', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner);
  const { secret: current } = await rotate(owner, apiKey.id, 3600);
  await bench().bus.call('api-keys.delete', { keyId: apiKey.id }, callAs(owner));
  for (const one of [secret, current])
    await t.throwsAsync(verify(bench(), one), { code: 'unauthenticated' });
});

test('broadcasts that cached verifications of the key are outdated, and whether it is still valid', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey } = await create(owner);
  const heard: object[] = [];
  bench().bus.listen('keys.revoked', (message) => {
    if (message.keyId === apiKey.id) heard.push(message);
  });
  await rotate(owner, apiKey.id, 60);
  await rotate(owner, apiKey.id, 0);
  await eventually(() => heard.length === 2, { describe: 'both broadcasts' });
  t.deepEqual(heard, [{ keyId: apiKey.id, isValid: true }, { keyId: apiKey.id }]);
});

test('during an overlap, a repeated rotation is refused and leaves both secrets valid, unless it ends both', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner);
  const { secret: current } = await rotate(owner, apiKey.id, 3600);
  await t.throwsAsync(rotate(owner, apiKey.id, 3600), { code: 'conflict' });
  for (const one of [secret, current]) await t.notThrowsAsync(verify(bench(), one));
  const { secret: last } = await rotate(owner, apiKey.id, 0);
  for (const one of [secret, current])
    await t.throwsAsync(verify(bench(), one), { code: 'unauthenticated' });
  await t.notThrowsAsync(verify(bench(), last));
});

test('refuses to rotate a key with scopes that the key of the request does not hold', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner, { scopes: ['user', 'api_user'] });
  const context = callAs(owner);
  context.caller.scopes = ['user'];
  const input = { keyId: apiKey.id, overlapSeconds: 0 };
  await t.throwsAsync(bench().bus.call('api-keys.rotate', input, context), {
    code: 'insufficient_scope',
  });
  await t.notThrowsAsync(verify(bench(), secret));
});

test('a key that expires rotates keys that expire with it or earlier, itself included, and no others', async (t) => {
  const owner = await makeWorkspace(bench());
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const { apiKey: sentWith } = await create(owner, { expiresAt: at(60) });
  const [earlier, later, endless] = [
    await create(owner, { expiresAt: at(59) }),
    await create(owner, { expiresAt: at(61) }),
    await create(owner),
  ];
  const by = { ...owner, keyId: sentWith.id };
  for (const { apiKey, secret } of [later, endless]) {
    await t.throwsAsync(rotate(by, apiKey.id, 0), {
      code: 'insufficient_scope',
      message: /expires before the one to be rotated/,
    });
    await t.notThrowsAsync(verify(bench(), secret));
  }
  t.is((await rotate(by, earlier.apiKey.id, 0)).apiKey.id, earlier.apiKey.id);
  t.is((await rotate(by, sentWith.id, 0)).apiKey.expiresAt, sentWith.expiresAt);
});

test('refuses to rotate an expired key', async (t) => {
  const owner = await makeWorkspace(bench());
  const expiresAt = new Date(Date.now() - 1000).toISOString();
  const { keyId } = await bench().bus.call(
    'keys.create',
    { userId: owner.userId, scopes: ['user'], expiresAt },
    callAsSystem(),
  );
  await t.throwsAsync(rotate(owner, keyId, 0), { code: 'conflict' });
});

test('answers not_found for a revoked key, to operators too, and broadcasts nothing', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey } = await create(owner);
  const input = { keyId: apiKey.id, overlapSeconds: 3600 };
  const heard: object[] = [];
  bench().bus.listen('keys.revoked', (message) => {
    if (message.keyId === apiKey.id) heard.push(message);
  });
  await bench().bus.call('api-keys.delete', { keyId: apiKey.id }, callAs(owner));
  await t.throwsAsync(rotate(owner, apiKey.id, 3600), { code: 'not_found' });
  const asOperator = bench().bus.call('keys.rotate', input, callAsSystem());
  await t.throwsAsync(asOperator, { code: 'not_found' });
  await bench().bus.call('api-keys.delete', { keyId: apiKey.id }, callAs(owner));
  await eventually(() => heard.length >= 2, { describe: 'the broadcasts of both revocations' });
  t.deepEqual(heard, [{ keyId: apiKey.id }, { keyId: apiKey.id }]);
});

test('answers not_found for a key of another workspace, which stays as it is', async (t) => {
  const [own, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const { apiKey, secret } = await create(other);
  await t.throwsAsync(rotate(own, apiKey.id, 0), { code: 'not_found' });
  await t.notThrowsAsync(verify(bench(), secret));
});

test('operators rotate a key of any workspace', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner);
  const rotated = await bench().bus.call(
    'keys.rotate',
    { keyId: apiKey.id, overlapSeconds: 0 },
    callAsSystem(),
  );
  t.is(rotated.keyId, apiKey.id);
  await t.throwsAsync(verify(bench(), secret), { code: 'unauthenticated' });
  t.is((await verify(bench(), rotated.apiKey)).keyId, apiKey.id);
});

const create = (owner: Workspace, input: { scopes?: Scope[]; expiresAt?: string } = {}) =>
  bench().bus.call('api-keys.create', { name: 'Key', scopes: ['user'], ...input }, callAs(owner));

const rotate = (owner: Workspace, keyId: string, overlapSeconds: number) =>
  bench().bus.call('api-keys.rotate', { keyId, overlapSeconds }, callAs(owner));

const moveOverlap = (keyId: string, seconds: number) =>
  bench().database.query(
    {
      name: 'test.move-overlap',
      text: `update users.api_keys set previous_until = previous_until + $2 * interval '1 second' where id = $1`,
    },
    [uuidOf('key', keyId), seconds],
  );
