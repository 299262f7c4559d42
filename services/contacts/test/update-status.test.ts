import { Fault, type Operations, type OutputOf } from '@roster/contracts';
import test from 'ava';
import {
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';
import { ended, startRunner, upload } from './imports/running-imports.js';

const running = contactsFor(test);

type Updated = OutputOf<Operations['contacts.update']>;
const codesOf = ({ notices }: Pick<Updated, 'notices'>) => notices?.map(({ code }) => code);

const statusOf = async (workspace: Workspace, contactId: string) =>
  (await workspace.call('contacts.get', { contactId })).contact.status;

test('an update unsubscribes with one event that has all changed fields, and only once', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { name: 'A', tags: ['x'] });
  const changes = {
    contactId: contact.id,
    name: 'B',
    tags: ['y'],
    status: 'unsubscribed' as const,
  };
  const updated = await workspace.call('contacts.update', changes);
  const { updatedAt } = updated.contact;
  const change = { status: 'unsubscribed' as const, updatedAt, version: 2 };
  const after = { ...contact, name: 'B', tags: ['y'], ...change };
  t.deepEqual(updated, { contact: after });
  t.deepEqual(await workspace.call('contacts.update', changes), { contact: after });
  const [, event, ...others] = await eventsOf(running(), workspace);
  t.deepEqual(others, []);
  const { event: kind, data } = JSON.parse(event!.body) as { event: string; data: object };
  t.is(event!.kind, 'CONTACT_UNSUBSCRIBED');
  t.is(kind, 'CONTACT_UNSUBSCRIBED');
  t.like(data, { contact: { id: contact.id, name: 'B' } });
  t.deepEqual(JSON.parse(event!.details!), {
    contact: { tags: ['y'], properties: {}, externalId: null, ...change },
    previous: { name: 'A', tags: ['x'], status: 'subscribed' },
  });
});

test('updates of one statement have events of both kinds, in the outbox and in the stream', async (t) => {
  const workspace = newWorkspace(running().bus);
  const contacts = await Promise.all(
    Array.from({ length: 8 }, (_, n) => create(workspace, `${n}@example.com`)),
  );
  const operations = contacts.map(({ contact: { id } }, n) => ({
    action: 'update' as const,
    ...{ id, name: 'B' },
    ...(n % 2 === 0 && { status: 'unsubscribed' as const }),
  }));
  const { results } = await workspace.call('contacts.batch', { operations });
  t.deepEqual(new Set(results.map(({ status }) => status)), new Set([200]));
  const events = (await eventsOf(running(), workspace)).slice(contacts.length);
  t.is(events.length, contacts.length);
  for (const { kind, body } of events) {
    const { event, data } = JSON.parse(body) as {
      event: string;
      data: { contact: { id: string } };
    };
    const at = contacts.findIndex(({ contact }) => contact.id === data.contact.id);
    t.is(event, at % 2 === 0 ? 'CONTACT_UNSUBSCRIBED' : 'CONTACT_UPDATED');
    t.is(kind, event);
  }
});

test('nobody is subscribed again by an update, an upsert or a batch: the other fields are applied, with a notice', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { status: 'unsubscribed' });
  const { id } = contact;
  const status = 'subscribed' as const;
  const updated = await workspace.call('contacts.update', { contactId: id, name: 'B', status });
  const { updatedAt } = updated.contact;
  t.deepEqual(updated.contact, { ...contact, name: 'B', updatedAt, version: 2 });
  t.deepEqual(codesOf(updated), ['not_resubscribed']);
  const upserted = await workspace.call('contacts.upsert', {
    ...{ email: 'a@example.com', tags: ['x'], status },
  });
  t.deepEqual(codesOf(upserted), ['not_resubscribed']);
  t.deepEqual(upserted.contact.tags, ['x']);
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'update', id, name: 'C', status },
      { action: 'upsert', email: 'a@example.com', name: ',"notices":[', status: 'unsubscribed' },
    ],
  });
  t.deepEqual(
    results.map((result) => [result.status, codesOf(result)]),
    [
      [200, ['not_resubscribed']],
      [200, undefined],
    ],
  );
  t.is(await statusOf(workspace, id), 'unsubscribed');
  t.false((await kindsOf(running(), workspace)).includes('CONTACT_RESUBSCRIBED'));
});

test('a contact of the maximum size can be unsubscribed by an update', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const properties: Record<string, string> = { a: 'x'.repeat(4096), b: 'x'.repeat(4096) };
  const update = (fields: object) =>
    workspace.attempt('contacts.update', { contactId: contact.id, ...fields });
  let length = 1024;
  while (
    (await update({ properties: { ...properties, c: 'x'.repeat(length + 1) } })) instanceof Fault
  )
    length -= 256;
  while (
    !((await update({ properties: { ...properties, c: 'x'.repeat(length + 1) } })) instanceof Fault)
  )
    length += 1;
  t.false((await update({ status: 'unsubscribed' })) instanceof Fault);
  t.is(await statusOf(workspace, contact.id), 'unsubscribed');
});

test('an import unsubscribes, and counts and lists the rows whose contacts remain unsubscribed', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const one = await create(workspace, 'one@example.com');
  const other = await create(workspace, 'other@example.com', { status: 'unsubscribed' });
  const id = await upload(workspace, [
    { email: 'one@example.com', name: 'One', status: 'unsubscribed' },
    { email: 'other@example.com', name: 'Other', status: 'subscribed' },
    { email: 'wrong' },
  ]);
  t.like(await ended(workspace, id), { updated: 2, failed: 1, notices: 1, done: 3 });
  t.is(await statusOf(workspace, one.contact.id), 'unsubscribed');
  t.like((await workspace.call('contacts.get', { contactId: other.contact.id })).contact, {
    name: 'Other',
    status: 'unsubscribed',
  });
  const { errors } = await workspace.call('imports.list-errors', { importId: id });
  t.deepEqual(
    errors.map(({ row, pointer, code }) => `${row} ${pointer} ${code}`),
    ['2 /status not_resubscribed', '3 /email invalid'],
  );
  t.truthy(errors[0]!.text);
  t.deepEqual((await kindsOf(running(), workspace)).slice(2).toSorted(), [
    'CONTACT_UNSUBSCRIBED',
    'CONTACT_UPDATED',
    'IMPORT_ENDED',
  ]);
});
