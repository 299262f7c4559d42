import { createHmac } from 'node:crypto';
import { emailKey, Fault, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { sqlOf } from '@roster/storage';
import { eventually } from '@roster/testing';
import test from 'ava';
import { SuppressUnsubscribed } from '../migrations/2026-11-28-suppressions.js';
import {
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';
import { ended, startRunner, upload } from './imports/running-imports.js';

// Calls wait for locks that the tests hold.
const running = contactsFor(test, { batchLockMs: 60_000 });

type Written = OutputOf<Operations['contacts.update']>;
const codesOf = ({ notices }: Pick<Written, 'notices'>) => notices?.map(({ code }) => code);

/** Deletes the contact that has the address. */
async function remove(workspace: Workspace, email: string): Promise<void> {
  const { contacts } = await workspace.call('contacts.find', { limit: 1, email });
  await workspace.call('contacts.delete', { contactId: contacts[0]!.id });
}

const suppress = async (workspace: Workspace, email: string) => {
  await create(workspace, email, { status: 'unsubscribed' });
  await remove(workspace, email);
};

/** Hashes of the suppressions of a workspace in hexadecimal digits. */
const hashesIn = async (workspace: Workspace): Promise<string[]> => {
  const rows = await running().database.query<{ hash: string }>(
    {
      name: 'test.suppressions',
      text: `select encode(hash, 'hex') as hash from contacts.suppressions where workspace_id = $1 order by hash`,
    },
    [uuidOf('workspace', workspace.id)],
  );
  return rows.map(({ hash }) => hash);
};

test('an address that unsubscribed in any way is unsubscribed when it is created again, and only in its workspace', async (t) => {
  const workspace = newWorkspace(running().bus);
  const email = (way: string) => `${way}@example.com`;
  await create(workspace, email('created'), { status: 'unsubscribed' });
  const called = await create(workspace, email('called'));
  await workspace.call('contacts.unsubscribe', { contactId: called.contact.id });
  const updated = await create(workspace, email('updated'));
  await workspace.call('contacts.update', {
    ...{ contactId: updated.contact.id, status: 'unsubscribed' },
  });
  const ways = ['created', 'called', 'updated'];
  for (const way of ways) await remove(workspace, email(way));
  for (const way of ways) {
    const again = await workspace.call('contacts.create', { email: email(way).toUpperCase() });
    t.is(again.contact.status, 'unsubscribed');
    t.deepEqual(codesOf(again), ['suppressed']);
    const { contact } = await workspace.call('contacts.get', { contactId: again.contact.id });
    t.deepEqual(contact, again.contact);
  }
  const other = newWorkspace(running().bus);
  for (const way of ways) t.is((await create(other, email(way))).contact.status, 'subscribed');
  t.deepEqual(codesOf(await workspace.call('contacts.create', { email: email('new') })), undefined);
});

test('the event of a suppressed contact and the repeated response have its status', async (t) => {
  const workspace = newWorkspace(running().bus);
  await suppress(workspace, 'a@example.com');
  const input = { email: 'a@example.com', tags: ['subscribed"}}'] };
  const first = await workspace.call('contacts.create', input, 'k');
  t.deepEqual(await workspace.call('contacts.create', input, 'k'), first);
  t.deepEqual(codesOf(first), ['suppressed']);
  const [created] = (await eventsOf(running(), workspace)).slice(2);
  t.like(JSON.parse(created!.details!), {
    contact: { tags: input.tags, properties: {}, status: 'unsubscribed' },
  });
});

test('an upsert, a batch and an import say that a new contact is unsubscribed', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const emails = ['a', 'b', 'c'].map((name) => `${name}@example.com`);
  for (const email of emails) await suppress(workspace, email);
  const upserted = await workspace.call('contacts.upsert', { email: emails[0]! });
  t.true(upserted.created);
  t.deepEqual(codesOf(upserted), ['suppressed']);
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'create', email: emails[1]! },
      { action: 'create', email: 'other@example.com' },
    ],
  });
  t.deepEqual(results.map(codesOf), [['suppressed'], undefined]);
  const id = await upload(
    workspace,
    emails.map((email) => ({ email })),
  );
  t.like(await ended(workspace, id), { created: 1, updated: 2, notices: 1 });
  const { errors } = await workspace.call('imports.list-errors', { importId: id });
  t.deepEqual(
    errors.map(({ row, code }) => `${row} ${code}`),
    ['3 suppressed'],
  );
  const { contacts } = await workspace.call('contacts.find', { limit: 10, status: 'subscribed' });
  t.deepEqual(
    contacts.map(({ email }) => email),
    ['other@example.com'],
  );
});

test('subscribing again ends the suppression', async (t) => {
  const workspace = newWorkspace(running().bus);
  await suppress(workspace, 'a@example.com');
  const { contact } = await create(workspace, 'a@example.com');
  await workspace.call('contacts.resubscribe', { contactId: contact.id });
  t.deepEqual(await hashesIn(workspace), []);
  await remove(workspace, 'a@example.com');
  const again = await workspace.call('contacts.create', { email: 'a@example.com' });
  t.is(again.contact.status, 'subscribed');
  t.is(again.notices, undefined);
});

test('an address that a contact gives up remains suppressed, and so is the one that an unsubscribed contact gets', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { status: 'unsubscribed' });
  const contactId = contact.id;
  await workspace.call('contacts.update', { contactId, email: 'b@example.com' });
  t.is((await create(workspace, 'a@example.com')).contact.status, 'unsubscribed');
  await remove(workspace, 'b@example.com');
  t.is((await create(workspace, 'b@example.com')).contact.status, 'unsubscribed');
});

test('a contact that gets a suppressed address is unsubscribed with an event and a notice', async (t) => {
  const workspace = newWorkspace(running().bus);
  await suppress(workspace, 'a@example.com');
  const { contact } = await create(workspace, 'b@example.com', { name: 'B' });
  const changes = { contactId: contact.id, email: 'a@example.com', name: 'A' };
  const updated = await workspace.call('contacts.update', { ...changes, status: 'subscribed' });
  t.like(updated.contact, { email: 'a@example.com', name: 'A', status: 'unsubscribed' });
  t.deepEqual(codesOf(updated), ['suppressed']);
  t.deepEqual((await kindsOf(running(), workspace)).slice(3), ['CONTACT_UNSUBSCRIBED']);
  t.deepEqual(codesOf(await workspace.call('contacts.update', changes)), undefined);
});

/**
 * A call that waits for its turn in a workspace, which another transaction has, and gives back after the statements. The call's own
 * statement has begun before: what they change is not in its snapshot.
 */
async function behind<T>(
  workspace: Workspace,
  statements: string[],
  call: () => Promise<T>,
): Promise<T> {
  const { database } = running();
  const inTurn = database.transaction(async (session) => {
    const run = (text: string) =>
      session.query<{ pid: number }>({ name: `test.${text}`, text }, [
        uuidOf('workspace', workspace.id),
      ]);
    const [turn] = await run(
      'select pg_backend_pid() as pid from contacts.watermarks where workspace_id = $1 for update',
    );
    const waiting = call();
    const blocked = {
      name: 'test.blocked',
      text: 'select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
    };
    await eventually(async () => (await database.query(blocked, [turn!.pid])).length === 1);
    for (const text of statements) await run(text);
    return { waiting };
  });
  return (await inTurn).waiting;
}

const unsubscribeAll = `update contacts.contacts set status = 'unsubscribed' where workspace_id = $1`;
const deleteUnsubscribed = `delete from contacts.contacts where workspace_id = $1 and status = 'unsubscribed'`;

test('a creation that waits for the deletion of an unsubscribed contact is unsubscribed', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'a@example.com');
  const again = await behind(workspace, [unsubscribeAll, deleteUnsubscribed], () =>
    create(workspace, 'a@example.com'),
  );
  t.is(again.contact.status, 'unsubscribed');
  t.deepEqual(codesOf(again), ['suppressed']);
});

test('an update that waits for the deletion of the unsubscribed contact of its address unsubscribes', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'b@example.com');
  await create(workspace, 'a@example.com');
  const unsubscribeOne = `${unsubscribeAll} and email = 'a@example.com'`;
  const updated = await behind(workspace, [unsubscribeOne, deleteUnsubscribed], () =>
    workspace.call('contacts.update', { contactId: contact.id, email: 'a@example.com' }),
  );
  t.is(updated.contact.status, 'unsubscribed');
  t.deepEqual(codesOf(updated), ['suppressed']);
});

test('subscribing again ends a suppression that was written while it waited', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const resubscribed = await behind(workspace, [unsubscribeAll], () =>
    workspace.call('contacts.resubscribe', { contactId: contact.id }),
  );
  t.is(resubscribed.contact.status, 'subscribed');
  t.deepEqual(await hashesIn(workspace), []);
});

test('whatever the order of an unsubscription, a deletion and an upsert, no unsubscribed address is subscribed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const emails = Array.from({ length: 20 }, (_, n) => `${n}@example.com`);
  const hasUnsubscribed = await Promise.all(
    emails.map(async (email) => {
      const { contact } = await create(workspace, email);
      const contactId = contact.id;
      const [unsubscribed] = await Promise.all([
        workspace.attempt('contacts.unsubscribe', { contactId }),
        workspace.attempt('contacts.delete', { contactId }),
        workspace.call('contacts.upsert', { email, name: 'Again' }),
      ]);
      return !(unsubscribed instanceof Fault);
    }),
  );
  t.is((await hashesIn(workspace)).length, hasUnsubscribed.filter(Boolean).length);
  const statuses = await Promise.all(
    emails.map(async (email) => (await workspace.call('contacts.upsert', { email })).contact),
  );
  t.deepEqual(
    statuses.map(({ status }) => status === 'unsubscribed'),
    hasUnsubscribed,
  );
});

test('no address is stored: a suppression is an HMAC under a key of the installation', async (t) => {
  const workspace = newWorkspace(running().bus);
  await suppress(workspace, 'Ada@Example.com');
  const [pads] = await running().database.query<{ inner: Buffer; outer: Buffer }>(
    {
      name: 'test.suppression-key',
      text: 'select inner_pad as inner, outer_pad as outer from contacts.suppression_key',
    },
    [],
  );
  const key = pads!.inner.map((byte) => byte ^ 0x36);
  t.deepEqual(Buffer.from(pads!.outer.map((byte) => byte ^ 0x5c)), Buffer.from(key));
  t.not(new Set(key.subarray(0, 32)).size, 1);
  const text = `${uuidOf('workspace', workspace.id)} ${emailKey('ada@example.com')}`;
  const hash = createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
  t.deepEqual(await hashesIn(workspace), [hash]);
});

test('the migration suppresses the addresses of contacts that are unsubscribed, and can be repeated', async (t) => {
  const workspace = newWorkspace(running().bus);
  const emails = Array.from({ length: 1_100 }, (_, n) => `${n}@example.com`);
  await workspace.call('contacts.batch', {
    operations: emails
      .slice(0, 1_000)
      .map((email) => ({ action: 'create' as const, email, status: 'unsubscribed' as const })),
  });
  for (const email of emails.slice(1_000))
    await create(workspace, email, { status: 'unsubscribed' });
  await create(workspace, 'subscribed@example.com');
  const hashes = await hashesIn(workspace);
  t.is(hashes.length, emails.length);
  const run = (text: string, values: unknown[] = []) =>
    running().database.query({ name: text, text }, values);
  // As before it.
  await run('delete from contacts.suppressions where workspace_id = $1', [
    uuidOf('workspace', workspace.id),
  ]);
  const { statements } = await sqlOf({ name: 'suppressions', class: SuppressUnsubscribed });
  for (let time = 0; time < 2; time += 1) {
    for (const statement of statements) await run(statement);
    t.deepEqual(await hashesIn(workspace), hashes);
  }
});
