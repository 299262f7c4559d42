import { eventually } from '@roster/testing';
import test from 'ava';
import { openReplica } from '../other-processes.js';
import { contactsFor, create, newWorkspace } from '../running-contacts.js';
import { addresses, contentsOf, ended, startRunner, upload } from './running-imports.js';

const running = contactsFor(test);

test('processes that share an import apply each row once', async (t) => {
  const workspace = newWorkspace(running().bus);
  const emails = addresses(600);
  const id = await upload(
    workspace,
    emails.map((email) => ({ email })),
  );
  const database = await openReplica(t, running());
  startRunner(t, running().service);
  startRunner(t, { ...running().service, database });
  const { created } = await ended(workspace, id);
  t.is(created, emails.length);
  const contents = await contentsOf(running(), workspace);
  t.deepEqual(contents.emails, emails);
  t.deepEqual(contents.announced.toSorted(), emails.toSorted());
});

test('an import neither refuses nor deadlocks with batches, upserts and creations in its workspace', async (t) => {
  const workspace = newWorkspace(running().bus);
  const emails = addresses(300);
  const contacts = emails.map((email, n) => ({ email, properties: { [`p${n % 40}`]: 'x' } }));
  const id = await upload(workspace, contacts);
  startRunner(t, running().service);
  const operations = contacts
    .toReversed()
    .map((contact) => ({ action: 'upsert' as const, ...contact, name: 'batch' }));
  // Repeated as clients do: on a busy machine, a call may wait for its turn until it is answered `unavailable`, and has changed nothing.
  const [batch] = await Promise.all([
    eventually(() => workspace.call('contacts.batch', { operations })),
    ...emails
      .slice(0, 50)
      .map((email) => eventually(() => workspace.call('contacts.upsert', { email, tags: ['a'] }))),
    ...addresses(50, 'new-').map((email) => eventually(() => create(workspace, email))),
  ]);
  t.true(batch.results.every(({ status }) => status < 300));
  const { status, failed } = await ended(workspace, id);
  t.deepEqual({ status, failed }, { status: 'completed', failed: 0 });
  const { emails: all } = await contentsOf(running(), workspace);
  t.is(new Set(all).size, all.length);
  t.is(all.length, emails.length + 50);
});
