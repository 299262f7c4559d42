import { contactPropertiesMax, uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { lockDefinitions } from '../writing/definitions/definition-rows.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

const ids = new IdClock();

/** Defines the properties `p1` to `p<count>`, without a limit, as an earlier release could. */
const define = (workspace: Workspace, count: number) =>
  running().database.query(
    {
      name: 'test.define',
      text: `insert into contacts.contact_properties (workspace_id, id, name, label)
        select $1, id, 'p' || n, 'P' from unnest($2::uuid[]) with ordinality as i (id, n)`,
    },
    [uuidOf('workspace', workspace.id), Array.from({ length: count }, () => ids.next())],
  );

const namesOf = async (workspace: Workspace) =>
  (await workspace.call('contact-properties.list', {})).properties.map(({ name }) => name);

test('refuses definitions beyond the limit, explicit ones and those of contacts, and answers calls of other workspaces in the batch', async (t) => {
  const workspace = newWorkspace(running().bus);
  const other = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  await define(workspace, contactPropertiesMax);
  const outcomes = await Promise.all([
    workspace.attempt('contact-properties.create', { name: 'more', label: 'More' }),
    workspace.attempt('contact-properties.create', { name: 'p1', label: 'Taken' }),
    workspace.attempt('contacts.create', { email: 'b@example.com', properties: { more: 'x' } }),
    workspace.attempt('contacts.create', { email: 'c@example.com', properties: { p1: 'x' } }),
    workspace.attempt('contacts.update', { contactId: contact.id, properties: { more: 'x' } }),
    other.attempt('contacts.create', { email: 'b@example.com', properties: { more: 'x' } }),
  ]);
  t.deepEqual(outcomes.map(codeOf), [
    'limit_reached',
    'conflict',
    'limit_reached',
    'ok',
    'limit_reached',
    'ok',
  ]);
  const { pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 2, 'a refused contact is not created');
  t.is((await namesOf(workspace)).length, contactPropertiesMax);
  t.deepEqual(await namesOf(other), ['more']);
  const removed = { contactId: contact.id, properties: { more: null } };
  t.is(codeOf(await workspace.attempt('contacts.update', removed)), 'ok', 'defines nothing');
});

test('concurrent batches that define properties do not exceed the limit together', async (t) => {
  const workspace = newWorkspace(running().bus);
  const contacts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => create(workspace, `old-${n}@example.com`)),
  );
  const room = 10;
  await define(workspace, contactPropertiesMax - room);
  const outcomes = await Promise.all(
    contacts.flatMap(({ contact }, n) => [
      workspace.attempt('contacts.create', {
        email: `new-${n}@example.com`,
        properties: { [`created${n}`]: 'x' },
      }),
      workspace.attempt('contacts.update', {
        contactId: contact.id,
        properties: { [`updated${n}`]: 'x' },
      }),
      workspace.attempt('contact-properties.create', { name: `explicit${n}`, label: 'x' }),
      workspace.attempt(
        'contacts.create',
        { email: `keyed-${n}@example.com`, properties: { [`keyed${n}`]: 'x' } },
        `key-${n}`,
      ),
    ]),
  );
  const count = (code: string) => outcomes.filter((outcome) => codeOf(outcome) === code).length;
  t.is(count('ok'), room);
  t.is(count('limit_reached'), outcomes.length - room);
  t.is((await namesOf(workspace)).length, contactPropertiesMax);
});

test('refuses a contact beyond the limit without waiting for others that define properties', async (t) => {
  const workspace = newWorkspace(running().bus);
  await define(workspace, contactPropertiesMax - 1);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const held = running().database.transaction(async (inner) => {
    await lockDefinitions(inner, uuidOf('workspace', workspace.id), []);
    locked.resolve();
    await released;
  });
  await locked.promise;
  const properties = { more: 'x', most: 'x' };
  const outcome = await workspace.attempt('contacts.create', {
    email: 'a@example.com',
    properties,
  });
  t.is(codeOf(outcome), 'limit_reached');
  release();
  await held;
});

test('a workspace above the limit keeps its definitions, can use them, and reads them in pages', async (t) => {
  const workspace = newWorkspace(running().bus);
  const surplus = 50;
  await define(workspace, contactPropertiesMax + surplus);
  const { contact } = await create(workspace, 'a@example.com', { properties: { p1050: 'x' } });
  t.deepEqual(contact.properties, { p1050: 'x' });
  const refused = { email: 'b@example.com', properties: { more: 'x' } };
  t.is(codeOf(await workspace.attempt('contacts.create', refused)), 'limit_reached');

  const first = await workspace.call('contact-properties.list', {});
  t.is(first.properties.length, contactPropertiesMax);
  t.is(first.pagination.limit, contactPropertiesMax);
  const rest = await workspace.call('contact-properties.list', { after: first.pagination.next! });
  t.is(rest.properties.length, surplus);
  t.is(rest.pagination.next, null);
  t.deepEqual(
    [...first.properties, ...rest.properties].map(({ name }) => name),
    Array.from({ length: contactPropertiesMax + surplus }, (_, n) => `p${n + 1}`),
  );
});

test('a list accepts a limit, reduces one above the maximum, and rejects an invalid cursor', async (t) => {
  const workspace = newWorkspace(running().bus);
  await define(workspace, 3);
  const page = await workspace.call('contact-properties.list', { limit: 2 });
  t.deepEqual(
    page.properties.map(({ name }) => name),
    ['p1', 'p2'],
  );
  const all = await workspace.call('contact-properties.list', { limit: 5000 });
  t.deepEqual(all.pagination, { limit: contactPropertiesMax, next: null });
  t.is(codeOf(await workspace.attempt('contact-properties.list', { after: 'x' })), 'invalid');
});
