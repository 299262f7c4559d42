import { Fault } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  create,
  newWorkspace,
  runContacts,
  type RunningContacts,
} from './running-contacts.js';

let running: RunningContacts;
test.before(async () => {
  running = await runContacts();
});
test.after.always(() => running?.stop());

test('defines the properties that a contact brings along, and none for a refused contact', async (t) => {
  const workspace = newWorkspace(running.bus);
  await create(workspace, 'a@example.com', { properties: { plan: 'pro' } });
  await workspace.attempt('contacts.create', {
    email: 'A@example.com',
    properties: { never: 'seen' },
  });
  const { properties } = await workspace.ask('contact-properties.list', {});
  t.deepEqual(
    properties.map(({ name, label, type }) => ({ name, label, type })),
    [{ name: 'plan', label: 'plan', type: 'string' }],
  );
});

test('defines properties by hand: names are unique, label and description change, the list has no description', async (t) => {
  const workspace = newWorkspace(running.bus);
  const input = {
    name: 'plan',
    label: 'Plan',
    type: 'string' as const,
    description: 'What they pay',
  };
  const { property } = await workspace.ask('contact-properties.create', input);
  t.like(property, input);
  const twin = await workspace.attempt('contact-properties.create', {
    name: 'plan',
    label: 'Again',
    type: 'string',
  });
  t.is(codeOf(twin), 'conflict');
  t.is((twin as Fault).details.existingId, property.id);
  const updated = await workspace.ask('contact-properties.update', {
    propertyId: property.id,
    label: 'Tariff',
  });
  t.deepEqual(updated.property, { ...property, label: 'Tariff' });
  const { description: _, ...listed } = updated.property;
  t.deepEqual((await workspace.ask('contact-properties.list', {})).properties, [listed]);
});
