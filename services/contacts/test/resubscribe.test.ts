import { systemCaller, type CallInputOf, type Operations, type OutputOf } from '@roster/contracts';
import test from 'ava';
import { ended, startRunner, upload } from './imports/running-imports.js';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

type Shown = Pick<OutputOf<Operations['contacts.update']>, 'contact' | 'notices'>;
const outcomeOf = ({ contact, notices }: Shown) => [contact.status, notices];
const subscribed = ['subscribed', undefined];
const resubscribe = true;

/** A workspace in which addresses have unsubscribed: `gone@` of a deleted contact, `out@` of one that exists. */
async function withUnsubscribed() {
  const workspace = newWorkspace(running().bus);
  const gone = await create(workspace, 'gone@example.com', { status: 'unsubscribed' });
  await workspace.call('contacts.delete', { contactId: gone.contact.id });
  const out = await create(workspace, 'out@example.com', { status: 'unsubscribed' });
  return { workspace, outId: out.contact.id };
}

const entriesOf = async (workspace: Workspace) => {
  const { entries } = await running().bus.call(
    'contacts.audit-entries',
    { workspaceId: workspace.id, limit: 100, action: 'contact.resubscribed' },
    { caller: systemCaller, requestId: 'test', deadline: Date.now() + 60_000 },
  );
  return entries.map(({ resourceId }) => resourceId);
};

test('a creation with resubscribe subscribes a suppressed address with an entry, once for each Idempotency-Key', async (t) => {
  const { workspace } = await withUnsubscribed();
  const input = { email: 'gone@example.com', resubscribe };
  const created = await workspace.call('contacts.create', input, 'k');
  t.deepEqual(outcomeOf(created), subscribed);
  t.deepEqual(await workspace.call('contacts.create', input, 'k'), created);
  const { contact } = await workspace.call('contacts.get', { contactId: created.contact.id });
  t.deepEqual(contact, created.contact);
  t.deepEqual((await kindsOf(running(), workspace)).slice(3), [
    'CONTACT_CREATED',
    'CONTACT_RESUBSCRIBED',
  ]);
  t.deepEqual(await entriesOf(workspace), [contact.id]);
  await workspace.call('contacts.delete', { contactId: contact.id });
  t.deepEqual(outcomeOf(await create(workspace, 'gone@example.com')), subscribed);
});

test('where nothing has unsubscribed, resubscribe changes nothing and has no entry', async (t) => {
  const workspace = newWorkspace(running().bus);
  const created = await create(workspace, 'new@example.com', { resubscribe });
  t.like(created.contact, { status: 'subscribed', version: 1 });
  const contactId = created.contact.id;
  await workspace.call('contacts.update', { contactId, name: 'New', resubscribe });
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
  t.deepEqual(await entriesOf(workspace), []);
});

test('updates, upserts and batches with resubscribe subscribe contacts and apply the other fields', async (t) => {
  const { workspace, outId } = await withUnsubscribed();
  const updated = await workspace.call('contacts.update', {
    ...{ contactId: outId, name: 'Out', resubscribe },
  });
  t.deepEqual(outcomeOf(updated), subscribed);
  t.is(updated.contact.name, 'Out');
  await workspace.call('contacts.unsubscribe', { contactId: outId });
  const upserted = await workspace.call('contacts.upsert', {
    ...{ email: 'out@example.com', tags: ['x'], resubscribe },
  });
  t.false(upserted.created);
  t.deepEqual(outcomeOf(upserted), subscribed);
  t.deepEqual(upserted.contact.tags, ['x']);
  await workspace.call('contacts.unsubscribe', { contactId: outId });
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'create', email: 'gone@example.com', resubscribe },
      { action: 'update', id: outId, resubscribe },
      { action: 'create', email: 'new@example.com', status: 'unsubscribed', resubscribe },
    ],
  });
  t.deepEqual(
    results.map(({ status, notices, problem }) => [status, notices, problem?.errors?.[0]?.pointer]),
    [
      [201, undefined, undefined],
      [200, undefined, undefined],
      [422, undefined, '/operations/2/resubscribe'],
    ],
  );
  const { contacts } = await workspace.call('contacts.find', { limit: 10, status: 'subscribed' });
  t.is(contacts.length, 2);
  t.deepEqual(
    (await entriesOf(workspace)).toSorted(),
    [`${results[0]!.id}`, outId, outId, outId].toSorted(),
  );
});

test('an import with resubscribe subscribes the contacts of its rows that do not unsubscribe', async (t) => {
  for (const options of [{ mode: 'upsert' }, { events: 'summary' }] as const) {
    const { workspace } = await withUnsubscribed();
    startRunner(t, running().service);
    const rows = [
      { email: 'gone@example.com' },
      { email: 'out@example.com', name: 'Out' },
      { email: 'other@example.com', status: 'unsubscribed' },
    ];
    const id = await upload(workspace, rows, { ...options, resubscribe });
    t.like(await ended(workspace, id), { created: 2, updated: 1, failed: 0, notices: 0 });
    const { contacts } = await workspace.call('contacts.find', { limit: 10, status: 'subscribed' });
    t.deepEqual(contacts.map(({ email }) => email).toSorted(), [
      'gone@example.com',
      'out@example.com',
    ]);
    const kinds = (await kindsOf(running(), workspace)).slice(3);
    const announced = kinds.filter((kind) => kind === 'CONTACT_RESUBSCRIBED').length;
    t.is(announced, 'events' in options ? 0 : 2);
    t.deepEqual(await entriesOf(workspace), []);
  }
});

test('who may not call contacts.resubscribe may not send resubscribe, and nothing is changed', async (t) => {
  const { workspace } = await withUnsubscribed();
  const limits = { readOnly: false, operations: ['contacts.create', 'imports.create'] };
  for (const less of [{ scopes: ['api_user' as const] }, { token: limits }]) {
    const attempt = <Name extends 'contacts.create' | 'imports.create'>(
      name: Name,
      input: CallInputOf<Operations[Name]>,
    ) =>
      running()
        .bus.call(name, input as never, {
          ...{ caller: { ...workspace.caller, ...less }, requestId: 'test' },
          deadline: Date.now() + 60_000,
        })
        .catch((error: unknown) => error);
    const input = { email: 'new@example.com', name: '', tags: [], properties: {} };
    t.is(codeOf(await attempt('contacts.create', { ...input, resubscribe })), 'insufficient_scope');
    t.is(codeOf(await attempt('imports.create', { resubscribe })), 'insufficient_scope');
  }
  t.is((await kindsOf(running(), workspace)).length, 3);
});
