import { auditEntriesMax, systemCaller, uuidOf, type AuditAction } from '@roster/contracts';
import type { AuditedChange } from '@roster/storage';
import test from 'ava';
import { auditLog } from '../service.js';
import { contactsFor, newWorkspace, type Workspace } from './running-contacts.js';

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
