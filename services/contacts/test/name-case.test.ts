import { uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);
const ids = new IdClock();

const namesOf = async (workspace: Workspace) =>
  (await workspace.call('contact-properties.list', {})).properties.map(({ name }) => name);

test('a definition whose name differs from another only by case is refused with the ID of the other, in that workspace only', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const { property } = await workspace.call('contact-properties.create', {
    name: 'city',
    label: 'City',
  });
  const variant = { name: 'City', label: 'City' };
  const refused = await workspace.attempt('contact-properties.create', variant);
  t.is(codeOf(refused), 'conflict');
  t.like(refused, { details: { existingId: property.id } });
  t.regex((refused as unknown as Error).message, /\bcity\b/);
  t.is(codeOf(await other.attempt('contact-properties.create', variant)), 'ok');
  t.deepEqual(await namesOf(workspace), ['city']);
});

test('a contact whose property differs from a defined one only by case is refused with both names, and others of the batch are written', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { properties: { city: 'Paris' } });
  const created = await workspace.attempt('contacts.create', {
    email: 'b@example.com',
    properties: { CITY: 'Paris', plan: 'pro' },
  });
  t.is(codeOf(created), 'invalid');
  t.like((created as unknown as { details: object }).details, {
    errors: [
      {
        pointer: '/properties/CITY',
        message: 'differs only by case from the contact property city: use that name',
      },
    ],
  });
  const properties = { City: 'Rome' };
  const outcomes = await Promise.all([
    workspace.attempt('contacts.update', { contactId: contact.id, properties }),
    workspace.attempt('contacts.upsert', { email: 'c@example.com', properties }),
    workspace.attempt('contacts.upsert', { email: contact.email, properties }),
    workspace.attempt('contacts.create', { email: 'd@example.com', properties: { team: 'x' } }),
    workspace.attempt('contacts.create', { email: 'e@example.com', properties: { a: '', A: '' } }),
    // Nothing is defined by the removal of a value.
    workspace.attempt('contacts.update', { contactId: contact.id, properties: { CiTy: null } }),
  ]);
  t.deepEqual(outcomes.map(codeOf), ['invalid', 'invalid', 'invalid', 'ok', 'invalid', 'ok']);
  t.deepEqual((await namesOf(workspace)).toSorted(), ['city', 'team']);
});

test('of simultaneous contacts with names that differ only by case, one name is defined', async (t) => {
  const workspace = newWorkspace(running().bus);
  const spellings = ['plan', 'Plan', 'pLan', 'plAn', 'plaN', 'PLAN'];
  await Promise.all(
    spellings.map((name, n) =>
      workspace.attempt('contacts.create', {
        email: `${n}@example.com`,
        properties: { [name]: 'x' },
      }),
    ),
  );
  t.is((await namesOf(workspace)).length, 1);
});

test('definitions that differ only by case from before that was refused stay in use', async (t) => {
  const workspace = newWorkspace(running().bus);
  await running().database.query(
    {
      name: 'test.define-variants',
      text: `insert into contacts.contact_properties (workspace_id, id, name, label)
        select $1, id, name, name from unnest($2::uuid[], $3::text[]) as d (id, name)`,
    },
    [uuidOf('workspace', workspace.id), [ids.next(), ids.next()], ['city', 'City']],
  );
  const properties = { city: 'Paris', City: 'Rome', other: 'x' };
  const { contact } = await create(workspace, 'a@example.com', { properties });
  t.deepEqual(contact.properties, properties);
  const third = { email: 'b@example.com', properties: { CITY: 'x' } };
  t.is(codeOf(await workspace.attempt('contacts.create', third)), 'invalid');
});

test('a refused contact of a batch defines no name, and those after it may define another spelling', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'taken@example.com');
  const creation = (email: string, name: string) =>
    ({ action: 'create', email, properties: { [name]: 'x' } }) as const;
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      creation('taken@example.com', 'City'),
      creation('a@example.com', 'city'),
      creation('b@example.com', 'CITY'),
      creation('c@example.com', 'plan'),
    ],
  });
  t.deepEqual(
    results.map(({ status }) => status),
    [409, 201, 422, 201],
  );
  t.deepEqual((await namesOf(workspace)).toSorted(), ['city', 'plan']);
});
