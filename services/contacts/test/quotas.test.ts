import test from 'ava';
import { eventually } from '@roster/testing';
import { addresses, ended, startRunner, upload } from './imports/running-imports.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

/** A workspace with a quota and as many contacts as are named. */
async function workspaceWith(quota: number, emails: readonly string[] = []): Promise<Workspace> {
  const workspace = newWorkspace(running().bus);
  running().quotas.set(workspace.id, quota);
  for (const email of emails) await create(workspace, email);
  return workspace;
}

const totalOf = async (workspace: Workspace) =>
  (await workspace.call('contacts.list', { limit: 1 })).pagination.total;

test('creations beyond the quota of a workspace are refused, and what exists can be changed and deleted', async (t) => {
  const workspace = await workspaceWith(2, ['a@example.com', 'b@example.com']);
  const refused = { code: 'quota_exceeded', message: /quota of 2 contacts/ };
  await t.throwsAsync(create(workspace, 'c@example.com'), refused);
  await t.throwsAsync(workspace.call('contacts.upsert', { email: 'c@example.com' }), refused);
  const { contact } = await workspace.call('contacts.upsert', {
    email: 'a@example.com',
    name: 'A',
  });
  t.is(contact.name, 'A');
  const contactId = contact.id;
  await workspace.call('contacts.update', { contactId, name: 'B' });
  await workspace.call('contacts.unsubscribe', { contactId });
  await workspace.call('contacts.delete', { contactId });
  await create(workspace, 'c@example.com');
  t.is(await totalOf(workspace), 2);
});

test('of a batch, the creations that the quota has room for are applied', async (t) => {
  const workspace = await workspaceWith(3, ['a@example.com']);
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'upsert', email: 'a@example.com', name: 'A' },
      ...addresses(3).map((email) => ({ action: 'create' as const, email })),
      { action: 'upsert', email: 'new@example.com' },
    ],
  });
  t.deepEqual(
    results.map(({ status, problem }) => problem?.code ?? status),
    [200, 201, 201, 'quota_exceeded', 'quota_exceeded'],
  );
  t.is(await totalOf(workspace), 3);
});

test('rows of an import beyond the quota are reported, and existing contacts are updated', async (t) => {
  const workspace = await workspaceWith(2, ['a@example.com']);
  startRunner(t, running().service);
  const rows = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];
  const importId = await upload(
    workspace,
    rows.map((email) => ({ email, name: 'Imported' })),
  );
  const { created, updated, failed } = await ended(workspace, importId);
  t.deepEqual({ created, updated, failed }, { created: 1, updated: 1, failed: 2 });
  const { errors } = await workspace.call('imports.list-errors', { importId });
  t.deepEqual(
    errors.map(({ row, code }) => [row, code]),
    [
      [3, 'quota_exceeded'],
      [4, 'quota_exceeded'],
    ],
  );
});

test('a repeated creation with an Idempotency-Key gets its answer when the quota is reached', async (t) => {
  const workspace = await workspaceWith(1);
  const send = () => workspace.call('contacts.create', { email: 'a@example.com' }, 'once');
  t.deepEqual(await send(), await send());
});

test('a changed quota is in effect when it is announced, and other workspaces have their own', async (t) => {
  const workspace = await workspaceWith(1, ['a@example.com']);
  const other = newWorkspace(running().bus);
  t.is(
    codeOf(await workspace.attempt('contacts.create', { email: 'b@example.com' })),
    'quota_exceeded',
  );
  await create(other, 'b@example.com');
  running().quotas.set(workspace.id, 2);
  running().bus.broadcast('workspaces.changed', { workspaceId: workspace.id });
  await eventually(
    async () =>
      codeOf(await workspace.attempt('contacts.create', { email: 'b@example.com' })) === 'ok',
  );
  running().quotas.set(workspace.id, 0);
  running().bus.broadcast('workspaces.changed', { workspaceId: workspace.id });
  await eventually(
    async () =>
      codeOf(await workspace.attempt('contacts.create', { email: 'a@example.com' })) ===
      'quota_exceeded',
  );
  await create(other, 'c@example.com');
});
