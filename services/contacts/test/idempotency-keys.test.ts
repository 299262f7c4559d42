import { hash } from 'node:crypto';
import {
  Fault,
  uuidOf,
  type CallInputOf,
  type OperationName,
  type Operations,
} from '@roster/contracts';
import type { Statement } from '@roster/storage';
import test from 'ava';
import { codeOf, kindsOf, newWorkspace, runContacts, type Workspace } from './running-contacts.js';

const contactsFor = async (t: { teardown(done: () => Promise<void>): void }) => {
  const running = await runContacts();
  t.teardown(() => running.stop());
  return running;
};

const emailsOf = async (workspace: Workspace) =>
  (await workspace.call('contacts.list', {})).contacts.map(({ email }) => email).toSorted();

test('a repeated creation gets the first response and changes nothing, and a different one is refused', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const input = { email: 'once@example.com', name: 'Once', properties: { city: 'Rome' } };
  const first = await workspace.call('contacts.create', input, 'key-1');
  const { properties } = await workspace.call('contact-properties.list', {});
  await workspace.call('contact-properties.delete', { propertyId: properties[0]!.id });
  t.deepEqual(await workspace.call('contacts.create', input, 'key-1'), first);
  t.is(workspace.replays(), 1);
  t.deepEqual((await workspace.call('contact-properties.list', {})).properties, []);
  t.deepEqual(await kindsOf(running, workspace), ['CONTACT_CREATED']);
  const other = await workspace.attempt('contacts.create', { ...input, name: 'Other' }, 'key-1');
  t.is(codeOf(other), 'idempotency_key_reused');
  const deletion = { contactId: first.contact.id };
  t.is(
    codeOf(await workspace.attempt('contacts.delete', deletion, 'key-1')),
    'idempotency_key_reused',
  );
  t.is(codeOf(await workspace.attempt('contacts.create', input, 'key-2')), 'conflict');
  const stranger = newWorkspace(running.bus);
  const own = await stranger.call('contacts.create', input, 'key-1');
  t.not(own.contact.id, first.contact.id);
});

test('creations of many workspaces with and without keys share statements, and each gets its own answer', async (t) => {
  const running = await contactsFor(t);
  const workspaces = Array.from({ length: 20 }, () => newWorkspace(running.bus));
  const written = () =>
    running.statements.filter((name) => name.startsWith('contacts.create')).length;
  const createAll = () =>
    Promise.all(
      workspaces.flatMap((workspace) =>
        ['a', 'b', 'c'].map((name) =>
          workspace.call(
            'contacts.create',
            { email: `${name}@example.com` },
            name === 'c' ? undefined : name,
          ),
        ),
      ),
    );
  const first = await createAll();
  t.true(written() <= 12, `${written()} statements`);
  for (const [n, workspace] of workspaces.entries()) {
    t.deepEqual(await emailsOf(workspace), ['a@example.com', 'b@example.com', 'c@example.com']);
    const again = await workspace.call('contacts.create', { email: 'a@example.com' }, 'a');
    t.deepEqual(again, first[3 * n]);
    t.is(workspace.replays(), 1);
  }
});

test('a refused creation of a shared batch stores no key, and one that cannot be written fails alone', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const other = newWorkspace(running.bus);
  await workspace.call('contacts.create', { email: 'taken@example.com' });
  const { database } = running;
  const query = database.query.bind(database);
  database.query = <Row>(statement: Statement, values: readonly unknown[]) =>
    JSON.stringify(values).includes('poison@example.com')
      ? Promise.reject(new Error('cannot be written'))
      : query<Row>(statement, values);
  const outcomes = await Promise.all([
    workspace.attempt('contacts.create', { email: 'a@example.com' }, 'a'),
    workspace.attempt('contacts.create', { email: 'taken@example.com' }, 'taken'),
    workspace.attempt('contacts.create', { email: 'poison@example.com' }, 'poison'),
    workspace.attempt('contacts.create', { email: 'b@example.com' }),
    other.attempt('contacts.create', { email: 'c@example.com' }, 'a'),
  ]);
  t.deepEqual(outcomes.map(codeOf), ['ok', 'conflict', 'internal', 'ok', 'ok']);
  database.query = query;
  for (const key of ['taken', 'poison'])
    t.is(
      codeOf(await workspace.attempt('contacts.create', { email: `${key}-2@example.com` }, key)),
      'ok',
      'the key was not stored',
    );
  t.deepEqual(
    await workspace.call('contacts.create', { email: 'a@example.com' }, 'a'),
    outcomes[0] as never,
  );
});

test('a creation that was committed with an unknown outcome is not applied again when it is repeated', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const { database } = running;
  const query = database.query.bind(database);
  database.query = async <Row>(statement: Statement, values: readonly unknown[]) => {
    const rows = await query<Row>(statement, values);
    // The connection is lost before the response arrives.
    if (statement.name === 'contacts.create-with-keys') throw new Fault('timeout', 'Lost.');
    return rows;
  };
  const input = { email: 'once@example.com' };
  t.is(codeOf(await workspace.attempt('contacts.create', input, 'key')), 'timeout');
  database.query = query;
  const { contact } = await workspace.call('contacts.create', input, 'key');
  t.is(workspace.replays(), 1);
  t.deepEqual((await workspace.call('contacts.get', { contactId: contact.id })).contact, contact);
  t.deepEqual(await kindsOf(running, workspace), ['CONTACT_CREATED']);
});

test('updates of a workspace with keys share a transaction, those that are refused store no key, and the others are replayed', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const contacts = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      workspace.call('contacts.create', { email: `${name}@example.com` }),
    ),
  );
  const missing = contacts[2]!.contact.id;
  await workspace.call('contacts.delete', { contactId: missing });
  const updateAll = () =>
    Promise.all(
      contacts.map(({ contact }, n) =>
        workspace.attempt('contacts.update', { contactId: contact.id, name: 'New' }, `key-${n}`),
      ),
    );
  const transactions = () => running.statements.filter((name) => name === 'idempotency.lock');
  const first = await updateAll();
  t.deepEqual(first.map(codeOf), ['ok', 'ok', 'not_found']);
  t.is(transactions().length, 1);
  t.deepEqual((await updateAll()).slice(0, 2), first.slice(0, 2));
  t.is(workspace.replays(), 2);
  const { contact } = contacts[0]!;
  const unstored = { contactId: contact.id, name: 'Newer' };
  t.is(codeOf(await workspace.attempt('contacts.update', unstored, 'key-2')), 'ok');
});

test('the response of a user is kept for a day, although that of the first user of the key has expired', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const colleague = newWorkspace(running.bus);
  colleague.caller.workspaceId = workspace.id;
  const own = { email: 'own@example.com' };
  await workspace.call('contacts.create', { email: 'first@example.com' }, 'key');
  const first = await colleague.call('contacts.create', own, 'key');
  await running.database.query(
    {
      name: 'test.expire',
      text: `update contacts.idempotency_keys set created_at = now() - interval '25 hours'
        where workspace_id = $1 and key = 'key'`,
    },
    [uuidOf('workspace', workspace.id)],
  );
  t.deepEqual(await colleague.call('contacts.create', own, 'key'), first);
  t.is(colleague.replays(), 1);
  const later = await workspace.attempt('contacts.create', { email: 'later@example.com' }, 'key');
  t.is(codeOf(later), 'ok', 'the expired key is free');
});

test('an update with a key to an address that is taken is refused, and those of the same batch are applied', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const [a, b, c] = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const { contact } = await workspace.call('contacts.create', { email: `${name}@example.com` });
      return contact.id;
    }),
  );
  const update = (contactId: string, changes: object, key?: string) =>
    workspace.attempt('contacts.update', { contactId, ...changes }, key);
  const taken = { email: 'b@example.com' };
  t.is(codeOf(await update(a!, taken, 'alone')), 'conflict');
  const outcomes = await Promise.all([
    update(a!, taken, 'a'),
    update(b!, { name: 'New' }, 'b'),
    update(c!, { email: 'd@example.com' }),
  ]);
  t.deepEqual(outcomes.map(codeOf), ['conflict', 'ok', 'ok']);
  t.deepEqual(await emailsOf(workspace), ['a@example.com', 'b@example.com', 'd@example.com']);
});

/** Writes with maps. `a` names the contact that is changed. */
const writesWithMaps = (a: string) =>
  ({
    'contacts.create': { email: 'b@example.com', properties: { plan: 'x', city: 'Rome' } },
    'contacts.upsert': { email: 'c@example.com', properties: { plan: null, city: 'Rome' } },
    'contacts.update': { contactId: a, name: 'A', properties: { plan: 'x', city: null } },
    'contacts.batch': {
      operations: [
        { action: 'create' as const, email: 'd@example.com', properties: { b: '1', a: '2' } },
        { action: 'update' as const, id: a, properties: { b: '1', a: '2' } },
      ],
    },
  }) satisfies { [Name in OperationName]?: CallInputOf<Operations[Name]> };

/** The same JSON value, with the keys of every object in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
};

test('a repeated request may have the keys of its objects in another order, but not the elements of its arrays', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const { contact } = await workspace.call('contacts.create', { email: 'a@example.com' });
  const writes = Object.entries(writesWithMaps(contact.id)) as [
    'contacts.create',
    CallInputOf<Operations['contacts.create']>,
  ][];
  for (const [name, input] of writes) {
    const first = await workspace.call(name, input, name);
    t.deepEqual(await workspace.call(name, reversed(input) as typeof input, name), first, name);
  }
  t.is(workspace.replays(), writes.length);
  const input = { email: 'e@example.com', tags: ['x', 'y'] };
  await workspace.call('contacts.create', input, 'tags');
  const other = { ...input, tags: input.tags.toReversed() };
  t.is(codeOf(await workspace.attempt('contacts.create', other, 'tags')), 'idempotency_key_reused');
});

test('a request whose input 0.2.0 has hashed is repeated', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const input = {
    email: 'a@example.com',
    name: '',
    tags: [],
    properties: { plan: 'x', city: 'Rome' },
  };
  const first = await workspace.call('contacts.create', input, 'key');
  await running.database.query(
    {
      name: 'test.hash',
      text: 'update contacts.idempotency_keys set input_sha256 = $2 where workspace_id = $1',
    },
    [uuidOf('workspace', workspace.id), hash('sha256', JSON.stringify(input), 'buffer')],
  );
  t.deepEqual(await workspace.call('contacts.create', input, 'key'), first);
});
