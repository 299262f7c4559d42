import { createHash } from 'node:crypto';
import { checksumOf, encodeId, type CallInputOf, type Operations } from '@roster/contracts';
import test from 'ava';
import { AdminKeys } from '../keys/admin-keys.js';
import { callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const random = 'k'.repeat(30);
const adminKey = sha256(`rak_${random}${checksumOf(random)}`);
const bench = usersBench(test, { adminKeyHashes: [sha256('other'), adminKey] });

type AdminOperation = Extract<keyof Operations, `admin-workspaces.${string}`>;

const call = <Name extends AdminOperation>(
  name: Name,
  input: Omit<CallInputOf<Operations[Name]>, 'adminKey'>,
  key = adminKey,
) => bench().bus.call(name, { ...input, adminKey: key } as never, callAsSystem());

const owner = { ownerEmail: 'Ada@example.com', ownerName: 'Ada' };
const unknownId = encodeId('workspace', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01');

test('an admin key creates a workspace with an owner and a key, and finds it', async (t) => {
  const created = await call('admin-workspaces.create', {
    ...owner,
    name: 'Engines of Ada',
    externalId: 'tenant-1',
  });
  const { workspace } = created;
  t.like(workspace, { name: 'Engines of Ada', externalId: 'tenant-1', status: 'active' });
  t.like(created.owner, { email: 'Ada@example.com', name: 'Ada' });
  const verified = await verify(bench(), created.apiKey.secret);
  t.like(verified, { workspaceId: workspace.id, userId: created.owner.id });
  t.is(verified.keyId, created.apiKey.id);
  const { id: workspaceId } = workspace;
  t.deepEqual(await call('admin-workspaces.get', { workspaceId }), { workspace });
  for (const found of [{ name: 'ENGINES OF a' }, { externalId: 'tenant-1' }]) {
    const { workspaces } = await call('admin-workspaces.list', { limit: 10, ...found });
    t.deepEqual(workspaces, [workspace]);
  }
  const { workspaces } = await call('admin-workspaces.list', {
    limit: 10,
    externalId: 'tenant-1',
    status: 'suspended',
  });
  t.deepEqual(workspaces, []);
  const { users } = await call('admin-workspaces.users', { workspaceId, limit: 10 });
  t.deepEqual(
    users.map(({ id }) => id),
    [created.owner.id],
  );
});

test('a repeated creation with an external ID creates no second workspace, and names the first', async (t) => {
  const input = { ...owner, name: 'Twice', externalId: 'tenant-2' };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => call('admin-workspaces.create', input)),
  );
  const made = outcomes.filter((one) => one.status === 'fulfilled');
  t.is(made.length, 1);
  const { id } = made[0]!.value.workspace;
  for (const one of outcomes)
    if (one.status === 'rejected')
      t.like(one.reason, { code: 'conflict', details: { existingId: id } });
});

test('lists all workspaces page by page, oldest first', async (t) => {
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) made.push((await makeWorkspace(bench())).workspaceId);
  const listed: string[] = [];
  let after: string | undefined;
  do {
    const page = await call('admin-workspaces.list', { limit: 2, ...(after && { after }) });
    listed.push(...page.workspaces.map(({ id }) => id));
    after = page.pagination.next ?? undefined;
  } while (after);
  t.deepEqual(listed, listed.toSorted());
  for (const id of made) t.true(listed.includes(id));
});

test('renames a workspace, and records that an operator did it', async (t) => {
  const { workspaceId } = await makeWorkspace(bench(), 'Before');
  const renamed = await call('admin-workspaces.update', {
    workspaceId,
    name: 'After',
    externalId: 'tenant-3',
  });
  t.like(renamed.workspace, { id: workspaceId, name: 'After', externalId: 'tenant-3' });
  // Changes nothing.
  await call('admin-workspaces.update', { workspaceId, name: 'After' });
  const rows = await bench().database.query<{ actor_id: string | null; after: object }>(
    {
      name: 'test.updates',
      text: `select actor_id, after from users.audit_log where action = 'workspace.updated' and resource_id = $1`,
    },
    [workspaceId],
  );
  t.deepEqual(rows, [{ actor_id: null, after: { name: 'After', externalId: 'tenant-3' } }]);
  const { workspace } = await call('admin-workspaces.update', { workspaceId, externalId: null });
  t.is(workspace.externalId, null);
});

test('an external ID of another workspace is refused', async (t) => {
  const { workspaceId } = await makeWorkspace(bench());
  const { workspace } = await call('admin-workspaces.create', {
    ...owner,
    name: 'First',
    externalId: 'tenant-4',
  });
  await t.throwsAsync(call('admin-workspaces.update', { workspaceId, externalId: 'tenant-4' }), {
    code: 'conflict',
    message: /external ID/,
  });
  t.is((await call('admin-workspaces.get', { workspaceId })).workspace.externalId, null);
  t.is(workspace.externalId, 'tenant-4');
});

test('an unknown workspace is not found', async (t) => {
  for (const name of ['get', 'update', 'users'] as const)
    await t.throwsAsync(
      call(`admin-workspaces.${name}`, { workspaceId: unknownId, limit: 1 } as never),
      { code: 'not_found' },
    );
});

test('every operation refuses another key, also to a caller with the credentials of the gateway', async (t) => {
  const names = ['create', 'list', 'get', 'update', 'users'] as const;
  const { workspaceId } = await makeWorkspace(bench());
  for (const name of names)
    await t.throwsAsync(
      call(
        `admin-workspaces.${name}`,
        { ...owner, name: 'x', workspaceId, limit: 1 } as never,
        sha256('unknown'),
      ),
      { code: 'unauthenticated' },
    );
});

test('says whether a key is valid, and whether any is', async (t) => {
  const stateOf = async (key: string) =>
    (await bench().bus.call('admin-keys.verify', { adminKey: key }, callAsSystem())).state;
  t.is(await stateOf(adminKey), 'valid');
  t.is(await stateOf(sha256('other')), 'valid');
  t.is(await stateOf(sha256('unknown')), 'invalid');
  t.true(new AdminKeys([]).isEmpty);
  t.throws(() => new AdminKeys([]).require({ adminKey }), { code: 'unauthenticated' });
});
