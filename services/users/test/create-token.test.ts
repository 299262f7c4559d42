import { generateKeyPairSync } from 'node:crypto';
import { CallerSigner, CallerVerifier } from '@roster/bus';
import {
  encodeId,
  Fault,
  scopes,
  uuidOf,
  type Caller,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signer = new CallerSigner({ id: 'k1', key: privateKey });
const verifier = new CallerVerifier([{ id: 'k1', key: publicKey }]);
const bench = usersBench(test, { signer });

async function newCaller(expiresAt?: string): Promise<Caller> {
  const { userId } = await makeWorkspace(bench());
  const input = {
    userId,
    scopes: ['api_user' as const, 'user' as const],
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const { apiKey } = await bench().bus.call('keys.create', input, callAsSystem());
  const { workspaceId, keyId, scopes } = await verify(bench(), apiKey);
  return { workspaceId, userId, keyId, scopes };
}

async function make(caller: Caller, limits: Partial<InputOf<Operations['tokens.create']>> = {}) {
  const input = { readOnly: false, expiresInSeconds: 900, ...limits };
  const { token } = await bench().bus.call('tokens.create', input, {
    ...callAs(caller),
    caller,
    address: '203.0.113.7',
  });
  return token;
}

/** Entries of the audit log about tokens, oldest first. */
const recordedFor = ({ workspaceId }: Caller) =>
  bench().database.query<Record<string, unknown>>(
    {
      name: 'test.tokens-recorded',
      text: `select actor_id, key_id, address, resource_id, after from users.audit_log
             where action = 'token.created' and workspace_id = $1 order by id`,
    },
    [uuidOf('workspace', workspaceId)],
  );

test('a token states its caller and its limits', async (t) => {
  const caller = await newCaller();
  const limits = { readOnly: true, operations: ['contacts.list', 'events'] };
  const token = await make(caller, { ...limits, scopes: ['api_user'] });
  t.like(token, { ...limits, scopes: ['api_user'] });
  const { tokenId, ...stated } = verifier.callerOf(token.secret)!;
  t.truthy(tokenId);
  t.deepEqual(stated, { ...caller, scopes: ['api_user'], token: limits });
});

test('by default a token has all scopes and operations of its key', async (t) => {
  const caller = await newCaller();
  const token = await make(caller);
  t.like(token, { scopes: caller.scopes, readOnly: false, operations: null });
});

for (const scope of scopes) {
  test(`a key with only the scope ${scope} makes tokens with that scope, and with no other`, async (t) => {
    const caller = { ...(await newCaller()), scopes: [scope] };
    const token = await make(caller);
    t.deepEqual(token.scopes, [scope]);
    t.deepEqual(verifier.callerOf(token.secret)!.scopes, [scope]);
    await t.throwsAsync(make(caller, { scopes: [...scopes] }), { code: 'invalid' } as never);
  });
}

test('a key without scopes makes no tokens', async (t) => {
  const caller = { ...(await newCaller()), scopes: [] };
  await t.throwsAsync(make(caller), { code: 'insufficient_scope' } as never);
  t.deepEqual(await recordedFor(caller), []);
});

test('a token has no scope that its key lacks, and no operation that tokens cannot call', async (t) => {
  const caller = { ...(await newCaller()), scopes: ['user' as const] };
  const error = await t.throwsAsync(
    make(caller, {
      scopes: ['user', 'api_user'],
      operations: ['contacts.get', 'keys.verify', 'tokens.create', 'toString', 'events'],
    }),
    { instanceOf: Fault },
  );
  t.is(error.code, 'invalid');
  t.deepEqual(
    error.details.errors?.map(({ pointer }) => pointer),
    ['/scopes/1', '/operations/1', '/operations/2', '/operations/3'],
  );
});

test('a token does not outlive its key', async (t) => {
  const expiresAt = new Date(Date.now() + 120_000).toISOString();
  const token = await make(await newCaller(expiresAt), { expiresInSeconds: 3600 });
  const differenceMs = Math.abs(Date.parse(token.expiresAt) - Date.parse(expiresAt));
  t.true(differenceMs < 5000, `${differenceMs} ms`);
});

test('a process that has seen no other token knows from the check of the key when a token expires', async (t) => {
  const caller = await newCaller();
  const { secret } = await make(caller, { expiresInSeconds: 60 });
  const { workspaceId, keyId } = caller;
  const { now } = await bench().bus.call('keys.check', { workspaceId, keyId }, callAs(caller));
  const judged = (afterMs: number) => {
    const fresh = new CallerVerifier([{ id: 'k1', key: publicKey }]);
    fresh.databaseShowed(Date.parse(now!) + afterMs);
    return fresh.callerOf(secret)?.keyId;
  };
  t.is(judged(0), keyId);
  t.is(judged(61_000), undefined);
});

test('a revoked key makes no tokens, and is answered as invalid, like unknown keys', async (t) => {
  const caller = await newCaller();
  const check = ({ workspaceId, keyId }: Caller) =>
    bench().bus.call('keys.check', { workspaceId, keyId }, callAs(caller));
  t.like(await check(caller), { valid: true });
  const foreign = { ...caller, workspaceId: (await newCaller()).workspaceId };
  t.like(await check(foreign), { valid: false });
  const unknown = encodeId('key', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01');
  t.like(await check({ ...caller, keyId: unknown }), { valid: false });
  await bench().bus.call('keys.revoke', { keyId: caller.keyId }, callAsSystem());
  t.like(await check(caller), { valid: false });
  await t.throwsAsync(make(caller), { code: 'unauthenticated' } as never);
  t.deepEqual(await recordedFor(caller), []);
});

test('the audit log records who made a token and what it allows, for each token, without the token', async (t) => {
  const caller = await newCaller();
  const limits = { scopes: ['api_user' as const], readOnly: true, operations: ['events'] };
  const [first, second] = [await make(caller, limits), await make(caller)];
  const of = (token: typeof first) => {
    const { secret: _, ...after } = token;
    const { userId: actor_id, keyId } = caller;
    return { actor_id, key_id: keyId, address: '203.0.113.7', resource_id: keyId, after };
  };
  t.deepEqual(await recordedFor(caller), [of(first), of(second)]);
});

test('tokens made at the same time are each recorded, and a refused call is not', async (t) => {
  const caller = await newCaller();
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => make(caller)),
    make({ ...caller, scopes: ['user'] }, { scopes: ['api_user'] }),
  ]);
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 20);
  t.is((await recordedFor(caller)).length, 20);
});
