import { createHash, randomUUID } from 'node:crypto';
import { checksumOf, encodeId, type CallInputOf, type Operations } from '@roster/contracts';
import { eventually } from '@roster/testing';
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
  const quotas = { contacts: null, requestsPerDay: null };
  t.deepEqual(rows, [{ actor_id: null, after: { name: 'After', externalId: 'tenant-3', quotas } }]);
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

test('quotas are set with a workspace and changed one by one, are shown, recorded, announced and told to services', async (t) => {
  const quotas = { contacts: 1000 };
  const created = await call('admin-workspaces.create', { ...owner, name: 'Limited', quotas });
  const { id: workspaceId } = created.workspace;
  t.deepEqual(created.workspace.quotas, { contacts: 1000, requestsPerDay: null });
  t.is((await verify(bench(), created.apiKey.secret)).quota, undefined);
  const heard: string[] = [];
  t.teardown(bench().bus.listen('workspaces.changed', (one) => heard.push(one.workspaceId)));
  await bench().bus.link.nats.flush();
  const changed = await call('admin-workspaces.update', {
    workspaceId,
    quotas: { requestsPerDay: 50 },
  });
  t.deepEqual(changed.workspace.quotas, { contacts: 1000, requestsPerDay: 50 });
  t.deepEqual(await call('admin-workspaces.get', { workspaceId }), changed);
  const listed = await call('admin-workspaces.list', { limit: 10, name: 'Limited' });
  t.deepEqual(listed.workspaces, [changed.workspace]);
  await eventually(() => heard.includes(workspaceId));
  const rows = await bench().database.query<{ before: object; after: object }>(
    {
      name: 'test.quotas',
      text: `select before, after from users.audit_log where action = 'workspace.updated' and resource_id = $1`,
    },
    [workspaceId],
  );
  t.like(rows[0], {
    before: { quotas: { contacts: 1000, requestsPerDay: null } },
    after: { quotas: { contacts: 1000, requestsPerDay: 50 } },
  });
  const quotaOf = (id: string) =>
    bench().bus.call('workspace-quotas.get', { workspaceId: id }, callAsSystem());
  t.deepEqual(await Promise.all([quotaOf(workspaceId), quotaOf(unknownId)]), [
    { contacts: 1000 },
    { contacts: null },
  ]);
  const day = new Date().toISOString().slice(0, 10);
  const report = {
    gateway: randomUUID(),
    sequence: 1,
    day,
    requests: [{ workspaceId, requests: 7 }],
  };
  await bench().bus.call('usage.report', report, callAsSystem());
  const quota = { requestsPerDay: 50, day, requests: 7 };
  const { quota: found, keyId } = await verify(bench(), created.apiKey.secret);
  t.deepEqual(found, quota);
  const checked = await bench().bus.call('keys.check', { workspaceId, keyId }, callAsSystem());
  t.deepEqual(checked.quota, quota);
  const removed = await call('admin-workspaces.update', {
    workspaceId,
    quotas: { contacts: null, requestsPerDay: null },
  });
  t.deepEqual(removed.workspace.quotas, { contacts: null, requestsPerDay: null });
  t.is((await verify(bench(), created.apiKey.secret)).quota, undefined);
});
