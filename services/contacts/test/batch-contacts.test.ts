import { Fault, type CallInputOf, type Operations } from '@roster/contracts';
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

type Operation = CallInputOf<Operations['contacts.batch']>['operations'][number];

const batch = async (workspace: Workspace, operations: Operation[]) =>
  (await workspace.call('contacts.batch', { operations })).results;

const manyOf = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@example.com`);

test('answers each operation in order, as a request with this operation alone', async (t) => {
  const workspace = newWorkspace(running().bus);
  const known = (await create(workspace, 'known@example.com')).contact;
  const gone = (await create(workspace, 'gone@example.com')).contact;
  const results = await batch(workspace, [
    { action: 'create', email: 'new@example.com', name: 'New' },
    { action: 'create', email: 'KNOWN@example.com' },
    { action: 'upsert', email: 'known@example.com', tags: ['x'] },
    { action: 'upsert', email: 'other@example.com', properties: { city: 'Zürich' } },
    { action: 'create', email: 'invalid', color: 'blue' },
    { action: 'delete', id: gone.id },
    { action: 'update', id: gone.id, name: 'late' },
    { action: 'update', id: known.id, createdAt: '2020-01-01T00:00:00Z' },
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 409, 200, 201, 422, 200, 404, 422],
  );
  const problem = { type: '/problems/conflict', title: 'Conflict', status: 409, code: 'conflict' };
  t.like(results[1]!.problem, { ...problem, existingId: known.id });
  t.is(results[2]!.id, known.id);
  t.deepEqual(
    results[4]!.problem!.errors!.map(({ pointer }) => pointer),
    ['/operations/4/email', '/operations/4/color'],
  );
  t.deepEqual(results[5], { status: 200, id: gone.id });
  t.is(results[6]!.problem!.code, 'not_found');
  t.is(results[7]!.problem!.errors![0]!.pointer, '/operations/7/createdAt');
  const { contacts } = await workspace.call('contacts.list', {});
  const { updatedAt } = contacts[0]!;
  t.deepEqual(contacts[0], { ...known, tags: ['x'], updatedAt, version: 2 });
  t.deepEqual(
    contacts.map((contact) => contact.id),
    [2, 0, 3].map((at) => results[at]!.id),
  );
  t.deepEqual((await kindsOf(running(), workspace)).toSorted(), [
    ...Array.from({ length: 4 }, () => 'CONTACT_CREATED'),
    'CONTACT_DELETED',
    'CONTACT_UPDATED',
  ]);
});

test('a refused operation names its first 3 invalid fields, so that the response to a batch is bounded', async (t) => {
  const workspace = newWorkspace(running().bus);
  const tags = Array.from({ length: 100 }, () => '');
  const operations = Array.from({ length: 200 }, (_, n): Operation => {
    return { action: 'create', email: `${n}@example.com`, tags };
  });
  const results = await batch(workspace, operations);
  for (const [n, { problem }] of results.entries()) {
    t.deepEqual(
      problem!.errors!.map(({ pointer }) => pointer),
      [0, 1, 2].map((tag) => `/operations/${n}/tags/${tag}`),
    );
    t.is(
      problem!.detail,
      `/operations/${n}/tags/0 ${problem!.errors![0]!.message}. 99 more fields are invalid. Only the first 3 are listed.`,
    );
  }
  t.true(JSON.stringify(results).length < JSON.stringify(operations).length * 1.5);
});

test('applies operations of one contact in order, whether they name its ID or its address', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { id } = (await create(workspace, 'a@example.com')).contact;
  const results = await batch(workspace, [
    { action: 'upsert', email: 'a@example.com', name: 'first' },
    { action: 'update', id, email: 'b@example.com' },
    { action: 'create', email: 'a@example.com', name: 'second' },
    { action: 'create', email: 'b@example.com' },
    { action: 'delete', id },
    { action: 'create', email: 'b@example.com', name: 'third' },
    { action: 'upsert', email: 'B@example.com', tags: ['x'] },
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    [200, 200, 201, 409, 200, 201, 200],
  );
  t.is(results[1]!.id, id);
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(
    contacts.map(({ name, email, tags }) => [name, email, tags]),
    [
      ['second', 'a@example.com', []],
      ['third', 'b@example.com', ['x']],
    ],
  );
});

test('an atomic batch with a refused operation changes nothing, and names the first one', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const attempt = (operations: Operation[]) =>
    workspace.attempt('contacts.batch', { operations, atomic: true }, 'k');
  const operations: Operation[] = [
    { action: 'create', email: 'b@example.com', properties: { city: 'x' } },
    { action: 'update', id: contact.id, name: 'never' },
    { action: 'create', email: 'A@example.com' },
    { action: 'create', email: 'B@example.com' },
  ];
  const refused = (await attempt(operations)) as Fault;
  t.like(refused, {
    code: 'conflict',
    message: 'operations[2]: A contact with this email already exists.',
  });
  t.is(refused.details.existingId, contact.id);
  t.deepEqual(refused.details.errors, [
    { pointer: '/operations/2/email', message: 'is the address of another contact' },
  ]);
  const missing = (await attempt([
    ...operations.slice(0, 2),
    { action: 'delete', id: unknownId },
  ])) as Fault;
  t.deepEqual(missing.details.errors, [
    { pointer: '/operations/2/id', message: 'is not the ID of a contact' },
  ]);
  const invalid = (await attempt([...operations, { action: 'create', email: 'x' }])) as Fault;
  t.is(invalid.details.errors![0]!.pointer, '/operations/4/email');
  t.deepEqual((await workspace.call('contacts.list', {})).contacts, [contact]);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
  t.deepEqual((await workspace.call('contact-properties.list', {})).properties, []);
  // A refused batch does not use up its key.
  t.is(codeOf(await attempt(operations.slice(0, 2))), 'ok');
});

test.serial(
  'creations, updates and deletions take a few statements for 50 of each kind',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    const send = async (operations: Operation[]) => {
      const before = running().statements.length;
      const results = await batch(workspace, operations);
      t.deepEqual(new Set(results.map(({ problem }) => problem)), new Set([undefined]));
      return { results, statements: running().statements.length - before };
    };
    const emails = manyOf(1000);
    const properties = { city: 'x', plan: 'y' };
    const created = await send(emails.map((email) => ({ action: 'create', email, properties })));
    const ids = created.results.map(({ id }) => id!);
    t.deepEqual(ids, ids.toSorted(), 'in the order of the operations');
    const updated = await send(ids.map((id) => ({ action: 'update', id, name: 'changed' })));
    const upserted = await send(emails.map((email) => ({ action: 'upsert', email, tags: ['t'] })));
    t.is((await workspace.call('contacts.list', { limit: 1 })).pagination.total, 1000);
    const deleted = await send(ids.map((id) => ({ action: 'delete', id })));
    for (const { statements } of [created, updated, upserted, deleted])
      t.true(statements <= 90, `${statements} statements`);
    t.is((await workspace.call('contacts.list', { limit: 1 })).pagination.total, 0);
    t.is((await kindsOf(running(), workspace)).length, 4000);
  },
);

test('a repeated batch gets the results of the first one, and changes nothing', async (t) => {
  const workspace = newWorkspace(running().bus);
  const operations: Operation[] = [
    { action: 'create', email: 'a@example.com' },
    { action: 'create', email: 'a@example.com' },
  ];
  const first = await workspace.call('contacts.batch', { operations }, 'k');
  t.deepEqual(
    first.results.map(({ status }) => status),
    [201, 409],
  );
  t.deepEqual(await workspace.call('contacts.batch', { operations }, 'k'), first);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
});

test('finds no contact of another workspace', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const { contact } = await create(other, 'a@example.com');
  const results = await batch(workspace, [
    { action: 'update', id: contact.id, name: 'never' },
    { action: 'upsert', email: 'a@example.com', name: 'own' },
    { action: 'delete', id: contact.id },
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    [404, 201, 404],
  );
  t.deepEqual((await other.call('contacts.get', { contactId: contact.id })).contact, contact);
});

const unknownId = 'cont_01h455vb4pex5vsknk084sn02q';
