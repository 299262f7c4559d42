import { systemCaller, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

// Calls wait for a lock that a test holds.
const running = contactsFor(test, { batchLockMs: 60_000 });

const entriesOf = async ({ id: workspaceId }: Workspace) => {
  const { entries } = await running().bus.call(
    'contacts.audit-entries',
    { workspaceId, limit: 100 },
    { caller: systemCaller, requestId: 'test', deadline: Date.now() + 60_000 },
  );
  return entries;
};

const listed = async (workspace: Workspace, email?: string) =>
  (
    await workspace.call('suppressions.list', {
      limit: 100,
      ...(email !== undefined && { email }),
    })
  ).suppressions;

test('suppressing the address of a contact unsubscribes it with one event, and a contact that is created with it', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { tags: ['x'] });
  const input = { email: 'A@example.com', reason: 'bounced' as const };
  const first = await workspace.call('suppressions.create', input);
  t.true(first.created);
  t.is(first.suppression.reason, 'bounced');
  const again = await workspace.call('suppressions.create', { ...input, reason: 'manual' });
  t.deepEqual(again, { created: false, suppression: first.suppression });
  const { contact: shown } = await workspace.call('contacts.get', { contactId: contact.id });
  t.like(shown, { status: 'unsubscribed', tags: ['x'], version: 2 });
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UNSUBSCRIBED']);
  const [, event] = await eventsOf(running(), workspace);
  t.like(JSON.parse(event!.details!), { previous: { status: 'subscribed' } });
  await workspace.call('suppressions.create', { email: 'new@example.com' });
  t.is((await create(workspace, 'new@example.com')).contact.status, 'unsubscribed');
  const entries = await entriesOf(workspace);
  t.deepEqual(
    entries.map(({ action, after }) => [action, after]),
    [
      ['suppression.created', { reason: 'manual' }],
      ['suppression.created', { reason: 'bounced' }],
    ],
  );
  t.notRegex(JSON.stringify(entries), /example\.com/);
});

test('a call that is repeated with its key suppresses once', async (t) => {
  const workspace = newWorkspace(running().bus);
  const input = { email: 'a@example.com' };
  const first = await workspace.call('suppressions.create', input, 'k');
  t.deepEqual(await workspace.call('suppressions.create', input, 'k'), first);
  t.is((await listed(workspace)).length, 1);
});

test('suppressions are listed in pages, newest first, found by address or ID, and contain no address', async (t) => {
  const workspace = newWorkspace(running().bus);
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const email = `${n}@example.com`;
    made.push((await workspace.call('suppressions.create', { email })).suppression.id);
  }
  const seen: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await workspace.call('suppressions.list', { limit: 2, ...(after && { after }) });
    t.true(page.suppressions.length <= 2);
    seen.push(...page.suppressions.map(({ id }) => id));
    after = page.pagination.next;
  } while (after !== null);
  t.deepEqual(seen, made.toSorted().toReversed());
  const [found, ...others] = await listed(workspace, '3@EXAMPLE.com');
  t.true(found!.id === made[3]);
  t.deepEqual(others, []);
  t.true(Math.abs(Date.parse(found!.createdAt) - Date.now()) < 60_000);
  t.deepEqual(await listed(workspace, 'other@example.com'), []);
  const got = await workspace.call('suppressions.get', { suppressionId: made[3]! });
  t.deepEqual(got, { suppression: found! });
  t.deepEqual(Object.keys(found!).toSorted(), ['createdAt', 'id', 'reason']);
  t.is(codeOf(await workspace.attempt('suppressions.list', { after: 'junk' })), 'invalid');
});

test('a suppression is deleted by ID or address, and its address is subscribed from then on', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { suppression } = await workspace.call('suppressions.create', { email: 'a@example.com' });
  const { id: suppressionId } = suppression;
  await workspace.call('suppressions.create', { email: 'b@example.com' });
  t.deepEqual(await workspace.call('suppressions.delete', { suppressionId }), { deleted: true });
  t.is(codeOf(await workspace.attempt('suppressions.delete', { suppressionId })), 'not_found');
  t.is(codeOf(await workspace.attempt('suppressions.get', { suppressionId })), 'not_found');
  const input = { email: 'B@example.com' };
  t.deepEqual(await workspace.call('suppressions.delete-by-email', input), { existed: true });
  t.deepEqual(await workspace.call('suppressions.delete-by-email', input), { existed: false });
  t.deepEqual(await listed(workspace), []);
  for (const email of ['a@example.com', 'b@example.com'])
    t.is((await create(workspace, email)).contact.status, 'subscribed');
  const deletions = (await entriesOf(workspace)).filter(
    ({ action }) => action === 'suppression.deleted',
  );
  t.is(deletions.length, 2);
  t.true(deletions.some(({ resourceId }) => resourceId === suppressionId));
});

test('a contact that is unsubscribed remains so when the suppression of its address is deleted', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  await workspace.call('contacts.unsubscribe', { contactId: contact.id });
  const [suppression] = await listed(workspace, 'a@example.com');
  t.is(suppression!.reason, 'unsubscribed');
  await workspace.call('suppressions.delete', { suppressionId: suppression!.id });
  const { contact: shown } = await workspace.call('contacts.get', { contactId: contact.id });
  t.is(shown.status, 'unsubscribed');
  await workspace.call('contacts.delete', { contactId: contact.id });
  t.is((await create(workspace, 'a@example.com')).contact.status, 'unsubscribed');
});

test('a list of addresses is suppressed as a whole, but for what is no address, and again changes nothing', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, '1@example.com');
  await workspace.call('suppressions.create', { email: '2@example.com', reason: 'complained' });
  const emails = ['1@example.com', 'nobody', '2@example.com', '1@EXAMPLE.com', '3@example.com'];
  const first = await workspace.call('suppressions.import', { emails, reason: 'bounced' });
  t.like(first, { created: 2, known: 1, refused: [{ index: 1 }] });
  t.regex(first.refused[0]!.message, /email address/);
  t.like(await workspace.call('suppressions.import', { emails }), { created: 0, known: 3 });
  t.deepEqual((await kindsOf(running(), workspace)).slice(1), ['CONTACT_UNSUBSCRIBED']);
  const reasons = (await listed(workspace)).map(({ reason }) => reason);
  t.deepEqual(reasons.toSorted(), ['bounced', 'bounced', 'complained']);
  const imported = (await entriesOf(workspace)).filter(
    ({ action }) => action === 'suppressions.imported',
  );
  t.deepEqual(
    imported.map(({ after }) => after),
    [{ reason: 'bounced', created: 2 }],
  );
});

test('suppressions of another workspace are neither found nor deleted', async (t) => {
  const [workspace, stranger] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const email = 'a@example.com';
  const { suppression } = await workspace.call('suppressions.create', { email });
  const { id: suppressionId } = suppression;
  t.deepEqual(await listed(stranger), []);
  t.deepEqual(await listed(stranger, email), []);
  for (const name of ['suppressions.get', 'suppressions.delete'] as const)
    t.is(codeOf(await stranger.attempt(name, { suppressionId })), 'not_found');
  t.deepEqual(await stranger.call('suppressions.delete-by-email', { email }), { existed: false });
  t.deepEqual(await listed(workspace), [suppression]);
  t.is((await create(stranger, email)).contact.status, 'subscribed');
});

test('a contact that is created while its address is being suppressed is unsubscribed', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'first@example.com');
  const emails = Array.from({ length: 20 }, (_, n) => `${n}@example.com`);
  await Promise.all([
    workspace.call('suppressions.import', { emails }),
    ...emails.map((email) => create(workspace, email)),
  ]);
  const { contacts } = await workspace.call('contacts.find', { limit: 100, status: 'subscribed' });
  t.deepEqual(
    contacts.map(({ email }) => email),
    ['first@example.com'],
  );
});

test('a suppression waits for the turn of its workspace, and sees the contact that was created meanwhile', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'first@example.com');
  const { database } = running();
  const workspaceId = uuidOf('workspace', workspace.id);
  const suppressed = await database.transaction(async (session) => {
    const query = (name: string, text: string, values: unknown[]) =>
      session.query<{ pid: number }>({ name, text }, values);
    const [turn] = await query(
      'test.turn',
      'select pg_backend_pid() as pid from contacts.watermarks where workspace_id = $1 for update',
      [workspaceId],
    );
    const waiting = workspace.call('suppressions.create', { email: 'late@example.com' });
    await eventually(
      async () =>
        (
          await database.query(
            {
              name: 'test.blocked',
              text: 'select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
            },
            [turn!.pid],
          )
        ).length === 1,
    );
    await query(
      'test.create',
      `insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
      values ($1, gen_random_uuid(), 'late@example.com', 'late@example.com', '', '[]', '{}', now())`,
      [workspaceId],
    );
    return { waiting };
  });
  t.true((await suppressed.waiting).created);
  const { contacts } = await workspace.call('contacts.find', {
    ...{ limit: 10, email: 'late@example.com' },
  });
  t.is(contacts[0]!.status, 'unsubscribed');
});
