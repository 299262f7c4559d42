import { auditEntriesMax, systemCaller, uuidOf, type AuditAction } from '@roster/contracts';
import type { AuditedChange } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { auditLog } from '../service.js';
import { AuditAllowance } from '../writing/audit-allowance.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const contacts = contactsFor(test);

test('lists the entries of a workspace, newest first, with who wrote them, and only what was committed', async (t) => {
  const { bus } = contacts();
  const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
  await record(workspace, created);
  await t.throwsAsync(
    record(workspace, { ...created, resourceId: 'rolled-back' }, () => {
      throw new Error('rolled back');
    }),
  );
  await record(workspace, cancelled);
  await record(other, created);
  const [newest, oldest, ...more] = await entriesOf(workspace);
  const { userId, keyId } = workspace.caller;
  const common = { actor: userId, actorType: 'user', keyId, address: '203.0.113.7' };
  t.like(newest, { action: 'import.cancelled', requestId: 'test', ...common });
  t.like(oldest, { ...created, before: null, ...common });
  t.deepEqual(more, []);
  t.deepEqual(actionsOf(await entriesOf(workspace, 'import.created')), ['import.created']);
});

test('at the limit of a day, refuses what would be recorded and changes nothing, except that imports can be cancelled', async (t) => {
  const { bus } = contacts();
  const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
  await record(workspace, created);
  await fill(workspace);
  await t.throwsAsync(record(workspace, created), { code: 'rate_limited' });
  await record(other, created);
  await record(workspace, cancelled);
  t.deepEqual(actionsOf(await entriesOf(workspace)), ['import.cancelled', 'import.created']);
});

test('each deleted contact has one entry, also if it is deleted in a batch with others or again with the same key', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  const ids = await createMany(workspace, 4);
  const [once, ...others] = ids;
  for (let n = 0; n < 2; n += 1) await remove(workspace, once!, 'once');
  await Promise.all(others.map((contactId) => remove(workspace, contactId)));
  t.is(codeOf(await workspace.attempt('contacts.delete', { contactId: once! })), 'not_found');
  const entries = await entriesOf(workspace);
  t.deepEqual(entries.map(({ resourceId }) => resourceId).toSorted(), ids.toSorted());
  const { userId, keyId } = workspace.caller;
  for (const entry of entries)
    t.like(entry, {
      ...{ action: 'contact.deleted', actor: userId, actorType: 'user', keyId },
      ...{ address: '203.0.113.7', requestId: 'test', before: null, after: null },
    });
  t.notRegex(JSON.stringify(entries), /@example|Ada/);
});

test('a batch has one entry, with numbers and the first IDs, also if it is sent again; one that is refused has none', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  const ids = await createMany(workspace, 12);
  const operations = [
    ...ids.map((id) => ({ action: 'delete' as const, id })),
    { action: 'delete' as const, id: ids[0]! },
    { action: 'create' as const, email: 'new@example.com', name: 'Ada' },
    { action: 'upsert' as const, email: 'new@example.com', name: 'Ada King' },
  ];
  for (let n = 0; n < 2; n += 1) await workspace.call('contacts.batch', { operations }, 'once');
  await workspace.call('contacts.batch', { operations: operations.slice(0, 2) });
  await workspace.attempt('contacts.batch', { operations, atomic: true });
  const [entry, ...more] = await entriesOf(workspace);
  t.deepEqual(more, []);
  t.is(entry!.action, 'contacts.batch_applied');
  t.is(entry!.resourceId, workspace.id);
  const counts = { created: 1, updated: 1, deleted: 12, refused: 1 };
  t.deepEqual(entry!.after, { ...counts, deletedIds: ids.slice(0, 10) });
});

// Alone: it ends every connection that waits to write an entry.
test.serial(
  'a batch whose connection ends before the commit has no entry, and changes nothing',
  async (t) => {
    const { database, bus } = contacts();
    const workspace = newWorkspace(bus);
    const [id] = await createMany(workspace, 1);
    const batch = { operations: [{ action: 'delete' as const, id: id! }] };
    const outcome = await database.transaction(async (session) => {
      await session.query(
        { name: 'test.hold', text: 'lock table contacts.audit_log in share mode' },
        [],
      );
      const [row] = await session.query<{ pid: number }>(
        { name: 'test.pid', text: 'select pg_backend_pid() as pid' },
        [],
      );
      const sent = workspace.attempt('contacts.batch', batch);
      // It has deleted the contact, and waits with its entry.
      const end = `select pg_terminate_backend(pid) from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))`;
      await eventually(
        async () =>
          (await database.query<object>({ name: 'test.end', text: end }, [row!.pid])).length > 0,
      );
      return sent;
    });
    t.not(codeOf(outcome), 'ok');
    t.deepEqual(await entriesOf(workspace), []);
    await workspace.call('contacts.get', { contactId: id! });
    await workspace.call('contacts.batch', batch);
    t.is((await entriesOf(workspace, 'contacts.batch_applied')).length, 1);
  },
);

test('an export has an entry that names the fields of its filter, and not what is searched for', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  await workspace.call('contacts.export', {});
  await workspace.call('contacts.export', { format: 'ndjson', email: 'ada@example.com', q: 'Ada' });
  t.deepEqual(
    (await entriesOf(workspace)).map(({ action, resourceId, after }) => [
      action,
      resourceId,
      after,
    ]),
    [
      ['contacts.exported', workspace.id, { format: 'ndjson', filters: ['email', 'q'] }],
      ['contacts.exported', workspace.id, { format: 'csv', filters: [] }],
    ],
  );
});

test('a deleted contact property has one entry with its name, also if it is deleted again with the same key', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  const input = { name: 'city', label: 'City', description: 'Where they live' };
  const { property } = await workspace.call('contact-properties.create', input);
  const propertyId = property.id;
  for (let n = 0; n < 2; n += 1)
    await workspace.call('contact-properties.delete', { propertyId }, 'once');
  await workspace.attempt('contact-properties.delete', { propertyId });
  const [entry, ...more] = await entriesOf(workspace);
  t.deepEqual(more, []);
  t.like(entry, { action: 'contact_property.deleted', resourceId: propertyId, after: null });
  t.deepEqual(entry!.before, { name: 'city', label: 'City' });
});

test('beyond the number of a day, deletions have an entry once a minute for each key and address', (t) => {
  const { caller } = newWorkspace(contacts().bus);
  const call = { caller, requestId: 'test', address: '203.0.113.7' };
  const other = { ...call, address: '203.0.113.8' };
  const allowance = new AuditAllowance(2);
  const take = (of = call) => {
    const isAdmitted = allowance.admits(of);
    if (isAdmitted) allowance.took(of);
    return isAdmitted;
  };
  t.deepEqual([take(), take(), take(), take()], [true, true, true, false]);
  t.deepEqual([take(other), take(other)], [true, false]);
  t.true(allowance.admits({ ...call, caller: newWorkspace(contacts().bus).caller }));
});

const createMany = async (workspace: Workspace, count: number): Promise<string[]> => {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1)
    made.push((await create(workspace, `ada${n}@example.com`, { name: 'Ada' })).contact.id);
  return made;
};

const remove = (workspace: Workspace, contactId: string, idempotencyKey?: string) =>
  contacts().bus.call(
    'contacts.delete',
    { contactId },
    {
      ...{ caller: workspace.caller, requestId: 'test', address: '203.0.113.7' },
      ...{ deadline: Date.now() + 60_000 },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    },
  );

const created = {
  action: 'import.created',
  resourceId: 'imp_1',
  after: { mode: 'upsert' },
} satisfies AuditedChange;
const cancelled = { action: 'import.cancelled', resourceId: 'imp_1' } satisfies AuditedChange;

/** As an operation records its change. */
const record = (
  { caller }: Workspace,
  change: AuditedChange,
  fail: () => void = () => undefined,
): Promise<void> =>
  contacts().database.transaction(async (inner) => {
    const call = { caller, requestId: 'test', address: '203.0.113.7' };
    await auditLog.record(inner, call, change);
    fail();
  });

const entriesOf = async (workspace: Workspace, action?: AuditAction) => {
  const input = { workspaceId: workspace.id, limit: 100, ...(action !== undefined && { action }) };
  const { entries } = await contacts().bus.call('contacts.audit-entries', input, {
    caller: systemCaller,
    requestId: 'test',
    deadline: Date.now() + 60_000,
  });
  return entries;
};

const actionsOf = (entries: readonly { action: string }[]) => entries.map(({ action }) => action);

const fill = ({ id }: Workspace) =>
  contacts().database.query(
    {
      name: 'test.fill',
      text: `update contacts.audit_days set entries = ${auditEntriesMax} where workspace_id = $1`,
    },
    [uuidOf('workspace', id)],
  );
