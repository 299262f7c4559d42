import type { Caller, Scope } from '@roster/contracts';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);

const currentKey = (caller: Caller) =>
  bench().bus.call('key.get', {}, { ...callAs(caller), caller });

async function newKey(scopes: Scope[]) {
  const owner = await makeWorkspace(bench(), 'Engines');
  const input = { name: 'Sync', scopes, expiresAt: '2095-01-31T09:00:00.000Z' };
  const created = await bench().bus.call('api-keys.create', input, callAs(owner));
  return { owner, ...created };
}

for (const scope of ['api_user', 'user'] as const)
  test(`describes a key that holds only the scope ${scope}, without its secret`, async (t) => {
    const { owner, apiKey, secret } = await newKey([scope]);
    const { workspaceId, keyId, userId, scopes } = await verify(bench(), secret);
    const found = await currentKey({ workspaceId, keyId, userId, scopes });
    t.deepEqual(found, {
      key: {
        id: apiKey.id,
        name: 'Sync',
        scopes: [scope],
        workspace: { id: owner.workspaceId, name: 'Engines' },
        user: { id: owner.userId, name: 'Ada Lovelace' },
        createdAt: apiKey.createdAt,
        expiresAt: '2095-01-31T09:00:00.000Z',
        token: null,
      },
    });
    t.false(JSON.stringify(found).includes(secret.slice(4, 12)));
  });

test('describes what a browser token allows, and the expiry of its key', async (t) => {
  const { owner, apiKey } = await newKey(['api_user', 'user']);
  const { workspaceId, userId } = owner;
  const token = { readOnly: true, operations: ['key.get'] };
  const caller: Caller = { workspaceId, userId, keyId: apiKey.id, scopes: ['api_user'], token };
  t.like((await currentKey(caller)).key, {
    id: apiKey.id,
    scopes: ['api_user'],
    expiresAt: apiKey.expiresAt,
    token,
  });
  const others = { ...caller, token: { readOnly: true, operations: ['contacts.list'] } };
  await t.throwsAsync(currentKey(others), { code: 'insufficient_scope' });
});

test('a revoked key, and a key of another workspace, are answered unauthenticated', async (t) => {
  const { owner, apiKey } = await newKey(['user']);
  const { workspaceId, userId } = owner;
  const caller: Caller = { workspaceId, userId, keyId: apiKey.id, scopes: ['user'] };
  const other = await makeWorkspace(bench());
  await t.throwsAsync(currentKey({ ...caller, workspaceId: other.workspaceId }), {
    code: 'unauthenticated',
  });
  await t.notThrowsAsync(currentKey(caller));
  await bench().bus.call('keys.revoke', { keyId: apiKey.id }, callAsSystem());
  await t.throwsAsync(currentKey(caller), { code: 'unauthenticated' });
});
