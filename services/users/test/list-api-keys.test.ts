import type { Scope } from '@roster/contracts';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const bench = usersBench(test);
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

test('lists the keys of the workspace page by page, oldest first, without secrets', async (t) => {
  const [owner] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const created = [await create(owner, 'One'), await create(owner, 'Two')];
  const first = await list(owner, { limit: 2 });
  t.is(first.pagination.limit, 2);
  const second = await list(owner, { limit: 2, after: first.pagination.next! });
  t.is(second.pagination.next, null);
  const all = [...first.apiKeys, ...second.apiKeys];
  // The first key was created with the workspace.
  t.deepEqual(
    all.map(({ name }) => name),
    ['', 'One', 'Two'],
  );
  t.deepEqual(
    all.slice(1),
    created.map(({ apiKey }) => apiKey),
  );
  for (const { secret } of created) t.false(JSON.stringify(all).includes(secret.slice(10)));
});

test('rejects a malformed cursor', async (t) => {
  const owner = await makeWorkspace(bench());
  await t.throwsAsync(list(owner, { limit: 1, after: 'x' }), { code: 'invalid' });
});

test('a deleted key is refused, and neither listed nor found', async (t) => {
  const owner = await makeWorkspace(bench());
  const { apiKey, secret } = await create(owner, 'Gone');
  const input = { keyId: apiKey.id };
  t.deepEqual((await bench().bus.call('api-keys.get', input, callAs(owner))).apiKey, apiKey);
  t.deepEqual(await bench().bus.call('api-keys.delete', input, callAs(owner)), { deleted: true });
  await t.throwsAsync(verify(bench(), secret), { code: 'unauthenticated' });
  await t.throwsAsync(bench().bus.call('api-keys.get', input, callAs(owner)), {
    code: 'not_found',
  });
  t.is((await list(owner, { limit: 10 })).apiKeys.length, 1);
});

test('answers not_found for a key of another workspace, and does not delete it', async (t) => {
  const [own, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const { apiKey, secret } = await create(other, 'Other');
  for (const name of ['api-keys.get', 'api-keys.delete'] as const)
    await t.throwsAsync(bench().bus.call(name, { keyId: apiKey.id }, callAs(own)), {
      code: 'not_found',
    });
  await t.notThrowsAsync(verify(bench(), secret));
});

test('operators list the keys of the workspace that they name', async (t) => {
  const [owner] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  await create(owner, 'One');
  const { workspaceId } = owner;
  const input = { workspaceId, limit: 10 };
  t.deepEqual(
    await bench().bus.call('keys.list', input, callAsSystem()),
    await list(owner, { limit: 10 }),
  );
});

const create = (owner: Workspace, name: string) =>
  bench().bus.call('api-keys.create', { name, scopes: ['user'] as Scope[] }, callAs(owner));

const list = (owner: Workspace, input: { limit: number; after?: string }) =>
  bench().bus.call('api-keys.list', input, callAs(owner));
