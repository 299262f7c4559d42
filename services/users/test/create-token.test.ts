import { generateKeyPairSync } from 'node:crypto';
import { CallerSigner, CallerVerifier, type Call } from '@roster/bus';
import { encodeId, Fault, type Caller, type InputOf, type Operations } from '@roster/contracts';
import test from 'ava';
import { createToken } from '../create-token.js';
import { checkKey } from '../check-key.js';
import type { UsersService } from '../service.js';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signer = new CallerSigner({ id: 'k1', key: privateKey });
const verifier = new CallerVerifier([{ id: 'k1', key: publicKey }]);
const service = () => ({ database: bench().database, signer }) as unknown as UsersService;

type Input = InputOf<Operations['tokens.create']>;

async function newCaller(expiresAt?: string): Promise<Caller> {
  const owner = await makeWorkspace(bench());
  const input = { userId: owner.userId, scopes: ['user' as const], expiresAt };
  const { apiKey } = await bench().bus.call(
    'keys.create',
    { ...input, scopes: ['api_user', 'user'] } as never,
    callAsSystem(),
  );
  const { workspaceId, userId, keyId, scopes } = await verify(bench(), apiKey);
  return { workspaceId, userId, keyId, scopes };
}

async function make(caller: Caller, input: Partial<Input> = {}) {
  const given = { readOnly: false, expiresInSeconds: 900, ...input };
  const call = { ...callAs(caller), caller, input: given } as Call<Input>;
  const [answer] = await createToken(service())([call]);
  if (answer instanceof Fault) throw answer;
  return (answer as { token: { secret: string; expiresAt: string } }).token;
}

test('a token states its caller and its limits', async (t) => {
  const caller = await newCaller();
  const limits = { readOnly: true, operations: ['contacts.list', 'events'] };
  const token = await make(caller, { ...limits, scopes: ['api_user'] });
  t.like(token, { ...limits, scopes: ['api_user'] });
  t.deepEqual(verifier.callerOf(token.secret), { ...caller, scopes: ['api_user'], token: limits });
});

test('by default a token has all scopes and operations of its key', async (t) => {
  const caller = await newCaller();
  const token = await make(caller);
  t.like(token, { scopes: caller.scopes, readOnly: false, operations: null });
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

test('a revoked key makes no tokens, and is answered as invalid, like unknown keys', async (t) => {
  const caller = await newCaller();
  const check = async ({ workspaceId, keyId }: Caller) => {
    const call = { ...callAsSystem(), input: { workspaceId, keyId } };
    return (await checkKey(service())([call as never]))[0];
  };
  t.deepEqual(await check(caller), { valid: true });
  const foreign = { ...caller, workspaceId: (await newCaller()).workspaceId };
  t.deepEqual(await check(foreign), { valid: false });
  const unknown = encodeId('key', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01');
  t.deepEqual(await check({ ...caller, keyId: unknown }), { valid: false });
  await bench().bus.call('keys.revoke', { keyId: caller.keyId }, callAsSystem());
  t.deepEqual(await check(caller), { valid: false });
  await t.throwsAsync(make(caller), { code: 'unauthenticated' } as never);
});
