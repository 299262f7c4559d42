import { Fault } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
} from './running-contacts.js';

const running = contactsFor(test);

test('creates a contact, returns it in reads, and writes one event', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'Ada+list@Example.com', {
    name: 'Ada "Λ" 👩‍🚀',
    tags: ['vip', 'early'],
    properties: { city: 'Zürich' },
  });
  t.like(contact, {
    email: 'Ada+list@Example.com',
    name: 'Ada "Λ" 👩‍🚀',
    tags: ['vip', 'early'],
    properties: { city: 'Zürich' },
    status: 'subscribed',
  });
  t.deepEqual(await workspace.call('contacts.get', { contactId: contact.id }), { contact });
  const [event, ...others] = await eventsOf(running(), workspace);
  const { id, email, name, createdAt } = contact;
  t.like(JSON.parse(event!.body), {
    event: 'CONTACT_CREATED',
    data: { contact: { id, email, name, createdAt } },
  });
  t.deepEqual(others, []);
});

test('refuses a second contact with the same email in any case, and names the first', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'grace@example.com');
  const fault = await t.throwsAsync(create(workspace, 'GRACE@example.COM'), { instanceOf: Fault });
  t.is(fault.code, 'conflict');
  t.is(fault.details.existingId, contact.id);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
  await t.notThrowsAsync(
    create(newWorkspace(running().bus), 'grace@example.com'),
    'another workspace may use the email',
  );
});

test('of two creations with one email in one batch, the first succeeds, and the other calls are not affected', async (t) => {
  const workspace = newWorkspace(running().bus);
  const outcomes = await Promise.allSettled(
    ['a@example.com', 'same@example.com', 'SAME@example.com', 'b@example.com'].map((email) =>
      create(workspace, email),
    ),
  );
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  const { pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 3);
});

test('creates a contact with the given status, and writes one event', async (t) => {
  const workspace = newWorkspace(running().bus);
  const [refusing, accepting] = await Promise.all([
    create(workspace, 'a@example.com', { status: 'unsubscribed' }),
    create(workspace, 'b@example.com', { status: 'subscribed' }),
  ]);
  t.is(refusing.contact.status, 'unsubscribed');
  t.is(accepting.contact.status, 'subscribed');
  t.deepEqual((await workspace.call('contacts.list', {})).contacts, [
    refusing.contact,
    accepting.contact,
  ]);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_CREATED']);
});

test('unsubscribes and resubscribes, and writes events only for changes', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const contactId = contact.id;
  t.is((await workspace.call('contacts.resubscribe', { contactId })).contact.status, 'subscribed');
  t.is(
    (await workspace.call('contacts.unsubscribe', { contactId })).contact.status,
    'unsubscribed',
  );
  t.is(
    (await workspace.call('contacts.unsubscribe', { contactId })).contact.status,
    'unsubscribed',
  );
  t.is((await workspace.call('contacts.get', { contactId })).contact.status, 'unsubscribed');
  t.is((await workspace.call('contacts.resubscribe', { contactId })).contact.status, 'subscribed');
  t.deepEqual(await kindsOf(running(), workspace), [
    'CONTACT_CREATED',
    'CONTACT_UNSUBSCRIBED',
    'CONTACT_RESUBSCRIBED',
  ]);
});

test('deletes a contact once, and writes an event with its last state', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { name: 'Ünï "quoted"' });
  const outcomes = await Promise.all([
    workspace.attempt('contacts.delete', { contactId: contact.id }),
    workspace.attempt('contacts.delete', { contactId: contact.id }),
  ]);
  t.deepEqual(outcomes.map(codeOf).toSorted(), ['not_found', 'ok']);
  t.is(codeOf(await workspace.attempt('contacts.get', { contactId: contact.id })), 'not_found');
  const events = await eventsOf(running(), workspace);
  t.is(events.length, 2);
  const { id, email, name, createdAt } = contact;
  t.like(JSON.parse(events[1]!.body), {
    event: 'CONTACT_DELETED',
    data: { contact: { id, email, name, createdAt } },
  });
  t.is((await workspace.call('contacts.list', {})).pagination.total, 0);
});

test('another workspace cannot read, change or delete a contact', async (t) => {
  const owner = newWorkspace(running().bus);
  const stranger = newWorkspace(running().bus);
  const { contact } = await create(owner, 'a@example.com', {
    name: 'A',
    properties: { plan: 'pro' },
  });
  const contactId = contact.id;
  const { properties } = await owner.call('contact-properties.list', {});
  const outcomes = await Promise.all([
    stranger.attempt('contacts.get', { contactId }),
    stranger.attempt('contacts.update', { contactId, name: 'X' }),
    stranger.attempt('contacts.update', { contactId, email: 'x@example.com' }),
    stranger.attempt('contacts.delete', { contactId }),
    stranger.attempt('contacts.unsubscribe', { contactId }),
    stranger.attempt('contacts.resubscribe', { contactId }),
    stranger.attempt('contact-properties.update', { propertyId: properties[0]!.id, label: 'X' }),
    stranger.attempt('contact-properties.delete', { propertyId: properties[0]!.id }),
  ]);
  t.deepEqual(
    outcomes.map(codeOf),
    Array.from({ length: outcomes.length }, () => 'not_found'),
  );
  t.like(await stranger.call('contacts.list', {}), { contacts: [], pagination: { total: 0 } });
  t.deepEqual((await stranger.call('contact-properties.list', {})).properties, []);
  t.deepEqual((await owner.call('contacts.get', { contactId })).contact, contact);
  t.deepEqual(await kindsOf(running(), stranger), []);
});

test.serial('200 concurrent reads reach the database in at most 8 statements', async (t) => {
  const workspace = newWorkspace(running().bus);
  const contacts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => create(workspace, `get${n}@example.com`)),
  );
  const count = () => running().statements.filter((name) => name === 'contacts.get').length;
  const before = count();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      workspace.call('contacts.get', { contactId: contacts[n % 20]!.contact.id }),
    ),
  );
  t.deepEqual(
    answers.map(({ contact }) => contact.id),
    Array.from({ length: 200 }, (_, n) => contacts[n % 20]!.contact.id),
  );
  t.true(count() - before <= 8, `${count() - before} statements`);
});
