import { encodeId, Fault } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { codeOf, contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

const unknownContact = encodeId('contact', new IdClock().next());

test('defines the properties of a created contact, and none of a refused one', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'a@example.com', { properties: { plan: 'pro' } });
  await workspace.attempt('contacts.create', {
    email: 'A@example.com',
    properties: { never: 'seen' },
  });
  const { properties } = await workspace.call('contact-properties.list', {});
  t.deepEqual(
    properties.map(({ name, label, type }) => ({ name, label, type })),
    [{ name: 'plan', label: 'plan', type: 'string' }],
  );
});

test('defines a property with the first successful call, although earlier calls with it were refused', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const refused = await Promise.all([
    workspace.attempt('contacts.create', { email: contact.email, properties: { created: 'x' } }),
    workspace.attempt('contacts.update', {
      contactId: unknownContact,
      properties: { updated: 'x' },
    }),
    workspace.attempt('contacts.update', {
      contactId: contact.id,
      email: (await create(workspace, 'b@example.com')).contact.email,
      properties: { moved: 'x' },
    }),
  ]);
  t.deepEqual(refused.map(codeOf), ['conflict', 'not_found', 'conflict']);
  t.deepEqual((await workspace.call('contact-properties.list', {})).properties, []);

  await create(workspace, 'c@example.com', { properties: { created: 'x' } });
  await workspace.call('contacts.update', {
    contactId: contact.id,
    properties: { updated: 'x', moved: 'x' },
  });
  const { properties } = await workspace.call('contact-properties.list', {});
  t.deepEqual(properties.map(({ name }) => name).toSorted(), ['created', 'moved', 'updated']);
});

test('creates definitions: names are unique, label and description can be changed, the list has no descriptions', async (t) => {
  const workspace = newWorkspace(running().bus);
  const input = {
    name: 'plan',
    label: 'Plan',
    type: 'string' as const,
    description: 'What they pay',
  };
  const { property } = await workspace.call('contact-properties.create', input);
  t.like(property, input);
  const twin = await workspace.attempt('contact-properties.create', {
    name: 'plan',
    label: 'Again',
    type: 'string',
  });
  t.is(codeOf(twin), 'conflict');
  t.is((twin as Fault).details.existingId, property.id);
  const updated = await workspace.call('contact-properties.update', {
    propertyId: property.id,
    label: 'Tariff',
  });
  t.deepEqual(updated.property, { ...property, label: 'Tariff' });
  const { description: _, ...listed } = updated.property;
  t.deepEqual((await workspace.call('contact-properties.list', {})).properties, [listed]);
});
