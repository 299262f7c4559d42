import { Fault } from '@roster/contracts';
import test from 'ava';
import { codeOf, contactsFor, create, kindsOf, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

test('updates the given fields and keeps the others: tags are replaced, properties merged, null removes', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', {
    name: 'A',
    tags: ['x'],
    properties: { keep: '1', change: '2', drop: '3' },
  });
  const updated = await workspace.call('contacts.update', {
    contactId: contact.id,
    tags: ['y', 'z'],
    properties: { change: 'two', drop: null, added: '4' },
  });
  t.deepEqual(updated.contact, {
    ...contact,
    tags: ['y', 'z'],
    properties: { keep: '1', change: 'two', added: '4' },
    updatedAt: updated.contact.updatedAt,
    version: 2,
  });
  t.true(updated.contact.updatedAt > contact.updatedAt);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('an update without a change writes no event', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', {
    name: 'A',
    properties: { k: 'v' },
  });
  const same = { contactId: contact.id, name: 'A', tags: [], properties: { k: 'v', gone: null } };
  t.deepEqual(await workspace.call('contacts.update', same), { contact });
  t.deepEqual(await workspace.call('contacts.update', { contactId: contact.id }), { contact });
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
});

test('two updates of one contact in one batch are both applied, in order', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const before = running().batches.length;
  const names = ['first', 'second', 'third'];
  const answers = await Promise.all(
    names.map((name) =>
      workspace.call('contacts.update', {
        contactId: contact.id,
        name,
        properties: { [name]: 'yes' },
      }),
    ),
  );
  t.true(
    running()
      .batches.slice(before)
      .some(({ operation, calls }) => operation === 'contacts.update' && calls >= 3),
    'in one batch',
  );
  t.deepEqual(
    answers.map((answer) => answer.contact.name),
    names,
  );
  const after = await workspace.call('contacts.get', { contactId: contact.id });
  t.like(after.contact, {
    name: 'third',
    properties: { first: 'yes', second: 'yes', third: 'yes' },
  });
});

test('changes an email, refuses one that is taken, and answers the other calls of the batch', async (t) => {
  const workspace = newWorkspace(running().bus);
  const a = (await create(workspace, 'a@example.com')).contact;
  const b = (await create(workspace, 'b@example.com')).contact;
  const [taken, renamed] = await Promise.all([
    workspace.attempt('contacts.update', {
      contactId: a.id,
      email: 'B@example.com',
      name: 'never',
    }),
    workspace.attempt('contacts.update', { contactId: b.id, name: 'B' }),
  ]);
  t.is(codeOf(taken), 'conflict');
  t.is((taken as Fault).details.existingId, b.id);
  t.is(codeOf(renamed), 'ok');
  t.deepEqual((await workspace.call('contacts.get', { contactId: a.id })).contact, a);
  const moved = await workspace.call('contacts.update', {
    contactId: a.id,
    email: 'new@example.com',
  });
  t.is(moved.contact.email, 'new@example.com');
  await t.notThrowsAsync(create(workspace, 'a@example.com'), 'the previous address is available');
});

test('accepts a contact as it was returned, without a change and without an event', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', {
    name: 'A',
    tags: ['x'],
    properties: { city: 'Zürich' },
    status: 'unsubscribed',
  });
  const returned = await workspace.call('contacts.get', { contactId: contact.id });
  t.deepEqual(returned, { contact });
  const contactId = contact.id;
  t.deepEqual(await workspace.call('contacts.update', { contactId, ...contact }), { contact });
  const changed = { ...contact, createdAt: contact.createdAt.replace('Z', '+00:00'), name: 'B' };
  const updated = await workspace.call('contacts.update', { contactId, ...changed });
  const { updatedAt } = updated.contact;
  t.deepEqual(updated, { contact: { ...contact, name: 'B', updatedAt, version: 2 } });
  t.deepEqual(await workspace.call('contacts.get', { contactId }), updated);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('accepts a contact with the maximum number of properties as it was returned', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const contactId = contact.id;
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, 'x']));
  const full = await workspace.call('contacts.update', { contactId, properties });
  t.deepEqual(await workspace.call('contacts.update', { contactId, ...full.contact }), full);
});

test('refuses each read-only field with another value than the stored one, and changes nothing', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const other = (await create(workspace, 'b@example.com')).contact;
  const contactId = contact.id;
  const errorsOf = async (fields: object) => {
    const outcome = await workspace.attempt('contacts.update', { contactId, name: 'B', ...fields });
    return outcome instanceof Fault ? outcome.details.errors : undefined;
  };
  const message = 'cannot be changed: omit it, or send the stored value';
  t.deepEqual(await errorsOf({ id: other.id }), [{ pointer: '/id', message }]);
  t.deepEqual(await errorsOf({ createdAt: '2020-01-01T00:00:00Z' }), [
    { pointer: '/createdAt', message },
  ]);
  t.is((await errorsOf({ id: other.id, createdAt: '2020-01-01T00:00:00Z' }))?.length, 2);
  await errorsOf({ id: other.id, status: 'unsubscribed' });
  t.deepEqual((await workspace.call('contacts.get', { contactId })).contact, contact);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_CREATED']);
});
