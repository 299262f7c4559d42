import { Fault, uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

const valuesOf = (prefix: string, count: number, length: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`${prefix}${n}`, 'v'.repeat(length)]),
  );

const change = (workspace: Workspace, contactId: string, properties: object) =>
  workspace.attempt('contacts.update', { contactId, properties: properties as never });

/** The size of a contact, of which `updatedAt`, `version` and `externalId` are no part. */
const bytesOf = (contact: object): number =>
  Buffer.byteLength(
    JSON.stringify({ ...contact, updatedAt: undefined, version: undefined, externalId: undefined }),
  );

const messagesOf = (outcome: unknown) =>
  outcome instanceof Fault ? outcome.details.errors : undefined;

/** Writes properties without a limit, as an earlier release could. */
const store = (workspace: Workspace, contactId: string, properties: object) =>
  running().database.query(
    {
      name: 'test.store',
      text: 'update contacts.contacts set properties = $3 where workspace_id = $1 and id = $2',
    },
    [uuidOf('workspace', workspace.id), uuidOf('contact', contactId), JSON.stringify(properties)],
  );

test('refuses an update whose result exceeds the limit by a byte, and answers the other calls of the batch', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', {
    properties: valuesOf('a', 1, 4000),
    tags: ['a', 'é'],
  });
  const other = (await create(workspace, 'b@example.com')).contact;
  const added = valuesOf('b', 1, 4000);
  const enlarged = { ...contact, properties: { ...contact.properties, ...added, r: '' } };
  const room = 10_000 - bytesOf(enlarged);
  const [refused, neighbour] = await Promise.all([
    change(workspace, contact.id, { ...added, r: 'v'.repeat(room + 1), never: null }),
    change(workspace, other.id, { b0: 'x' }),
  ]);
  t.deepEqual(messagesOf(refused), [
    {
      pointer: '/properties',
      message: 'must be shorter: the contact would have 10001 bytes of JSON, more than 10000',
    },
  ]);
  t.is(codeOf(neighbour), 'ok');
  t.deepEqual((await workspace.call('contacts.get', { contactId: contact.id })).contact, contact);
  t.is(codeOf(await change(workspace, contact.id, { ...added, r: 'v'.repeat(room) })), 'ok');
  t.deepEqual(
    (await kindsOf(running(), workspace)).filter((kind) => kind === 'CONTACT_UPDATED').length,
    2,
  );
});

test('refuses a new contact that exceeds the limit by a byte, and names what is long', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const tags = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(60, 'é'));
  const room = 10_000 - bytesOf({ ...contact, tags: tags.slice(0, 80) });
  const properties = { note: 'v'.repeat(room - '"note":""'.length) };
  const fitting = { tags: tags.slice(0, 80), properties };
  t.is(codeOf(await create(workspace, 'b@example.com', fitting)), 'ok');
  const exceeding = { ...fitting, name: 'n', email: 'c@example.com' };
  t.deepEqual(messagesOf(await workspace.attempt('contacts.create', exceeding)), [
    {
      pointer: '/tags',
      message: 'must be shorter: the contact would have 10001 bytes of JSON, more than 10000',
    },
  ]);
});

test('refuses an update whose result has too many properties', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  t.is(codeOf(await change(workspace, contact.id, valuesOf('p', 100, 1))), 'ok');
  t.deepEqual(messagesOf(await change(workspace, contact.id, { one_more: 'x' })), [
    { pointer: '/properties', message: 'must be at most 100 after the change, not 101' },
  ]);
  t.is(codeOf(await change(workspace, contact.id, { p0: null, one_more: 'x' })), 'ok');
});

test('a contact above the limits keeps its properties, and may have fewer or others of the same size', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', {
    properties: { a0: 'x', b0: 'x' },
  });
  await store(workspace, contact.id, valuesOf('a', 30, 4000));
  t.is(codeOf(await change(workspace, contact.id, { b0: 'x' })), 'invalid');
  t.is(codeOf(await change(workspace, contact.id, { a0: 'w'.repeat(4000) })), 'ok');
  t.is(codeOf(await change(workspace, contact.id, { a1: null, b0: 'x' })), 'ok');
  const renamed = { contactId: contact.id, name: 'Renamed' };
  t.is((await workspace.call('contacts.update', renamed)).contact.name, 'Renamed');
});
