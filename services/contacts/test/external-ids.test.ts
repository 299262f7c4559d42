import { Fault, operations } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  create,
  eventsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

const upsert = (workspace: Workspace, input: object) => workspace.call('contacts.upsert', input);
const batch = async (workspace: Workspace, all: object[]) =>
  (await workspace.call('contacts.batch', { operations: all as never })).results;

test('a contact is created, changed and shown with the ID that it has in another system', async (t) => {
  const workspace = newWorkspace(running().bus);
  const externalId = 'crm "1"/Ä 🙂';
  const { contact } = await create(workspace, 'a@example.com', { externalId });
  t.is(contact.externalId, externalId);
  const { contact: other } = await create(workspace, 'b@example.com', { externalId: null });
  t.is(other.externalId, null);
  const contactId = contact.id;
  t.deepEqual(await workspace.call('contacts.get', { contactId }), { contact });
  t.deepEqual((await workspace.call('contacts.list', {})).contacts, [contact, other]);
  const found = await workspace.call('contacts.find', { limit: 5, externalId });
  t.deepEqual([found.contacts, found.pagination.total], [[contact], 1]);
  const none = await workspace.call('contacts.find', {
    limit: 5,
    externalId: externalId.toUpperCase(),
  });
  t.deepEqual([none.contacts, none.pagination.total], [[], 0]);
  const both = { limit: 5, externalId, email: 'b@example.com' };
  t.deepEqual((await workspace.call('contacts.find', both)).contacts, []);
  const changed = await workspace.call('contacts.update', { contactId, externalId: '2' });
  t.like(changed.contact, { externalId: '2', version: 2 });
  const same = await workspace.call('contacts.update', { contactId, externalId: '2' });
  t.deepEqual(same, changed);
  const renamed = await workspace.call('contacts.update', { contactId, name: 'A' });
  t.like(renamed.contact, { externalId: '2', version: 3 });
  const unsubscribed = await workspace.call('contacts.unsubscribe', { contactId });
  t.is(unsubscribed.contact.externalId, '2');
  const removed = await workspace.call('contacts.update', { contactId, externalId: null });
  t.is(removed.contact.externalId, null);
  await workspace.call('contacts.delete', { contactId });
  const events = await eventsOf(running(), workspace);
  t.deepEqual(
    events.map(({ details }) => {
      const { contact: of, previous } = JSON.parse(details!) as {
        contact: { externalId: string | null };
        previous?: object;
      };
      return [of.externalId, previous];
    }),
    [
      [externalId, undefined],
      [null, undefined],
      ['2', { externalId }],
      ['2', { name: '' }],
      ['2', { status: 'subscribed' }],
      [null, { externalId: '2' }],
      [null, undefined],
    ],
  );
  for (const { body } of events) t.false(body.includes('externalId'));
});

test('one that another contact of the workspace has is refused with the pointer and that contact', async (t) => {
  const workspace = newWorkspace(running().bus);
  const first = (await create(workspace, 'a@example.com', { externalId: 'x' })).contact;
  const second = (await create(workspace, 'b@example.com')).contact;
  await create(newWorkspace(running().bus), 'a@example.com', { externalId: 'x' });
  const refused = [
    await workspace.attempt('contacts.create', { email: 'c@example.com', externalId: 'x' }),
    await workspace.attempt('contacts.create', { email: 'c@example.com', externalId: 'x' }, 'key'),
    await workspace.attempt('contacts.update', { contactId: second.id, externalId: 'x' }),
  ];
  for (const fault of refused) {
    t.true(fault instanceof Fault && fault.code === 'conflict');
    t.like((fault as Fault).details, { existingId: first.id });
    t.is((fault as Fault).details.errors![0]!.pointer, '/externalId');
  }
  const results = await batch(workspace, [
    { action: 'update', id: second.id, externalId: 'x' },
    { action: 'create', email: 'c@example.com', externalId: 'x' },
    { action: 'create', email: 'd@example.com', externalId: 'y' },
    { action: 'create', email: 'e@example.com', externalId: 'y' },
    { action: 'update', id: 'externalId:x', externalId: null },
    { action: 'update', id: second.id, externalId: 'x' },
  ]);
  t.deepEqual(
    results.map(({ status, problem }) => [status, problem?.errors?.[0]?.pointer]),
    [
      [409, '/operations/0/externalId'],
      [409, '/operations/1/externalId'],
      [201, undefined],
      [409, '/operations/3/externalId'],
      [200, undefined],
      [200, undefined],
    ],
  );
  t.is((await workspace.call('contacts.get', { contactId: 'externalId:x' })).contact.id, second.id);
});

test('of many creations with one at once, exactly one succeeds', async (t) => {
  const workspace = newWorkspace(running().bus);
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      workspace.attempt(
        'contacts.create',
        { email: `${n}@example.com`, externalId: 'x' },
        n % 2 === 0 ? `key-${n}` : undefined,
      ),
    ),
  );
  t.deepEqual(outcomes.map(codeOf).toSorted(), [...Array<string>(29).fill('conflict'), 'ok']);
  const { contacts, pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 1);
  for (const outcome of outcomes)
    if (outcome instanceof Fault) t.is(outcome.details.existingId, contacts[0]!.id);
});

test('operations on one contact take it in place of the ID', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { externalId: 'a/b c' });
  await create(newWorkspace(running().bus), 'a@example.com', { externalId: 'other' });
  const contactId = 'externalId:a/b c';
  t.deepEqual(await workspace.call('contacts.get', { contactId }), { contact });
  t.is((await workspace.call('contacts.update', { contactId, name: 'A' })).contact.id, contact.id);
  t.is((await workspace.call('contacts.unsubscribe', { contactId })).contact.id, contact.id);
  t.is((await workspace.call('contacts.resubscribe', { contactId })).contact.id, contact.id);
  for (const unknown of ['externalId:A/B C', 'externalId:other'])
    t.is(codeOf(await workspace.attempt('contacts.get', { contactId: unknown })), 'not_found');
  t.deepEqual(await workspace.call('contacts.delete', { contactId }), {
    deleted: true,
    id: contact.id,
  });
});

test('while it moves from contact to contact, only a contact that has it is changed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const ids = await Promise.all(
    ['a', 'b'].map(async (name) => (await create(workspace, `${name}@example.com`)).contact.id),
  );
  const moving = new AbortController();
  const move = async () => {
    for (let round = 0; round < 15; round += 1)
      for (const contactId of ids) {
        await workspace.call('contacts.update', { contactId, externalId: 'x' });
        await workspace.call('contacts.update', { contactId, externalId: null });
      }
  };
  let written = 0;
  const write = async (n: number) => {
    for (let round = 0; !moving.signal.aborted; round += 1) {
      const input = { contactId: 'externalId:x', name: `${n}-${round}` };
      const outcome = await workspace.attempt('contacts.update', input);
      if (outcome instanceof Fault) t.is(outcome.code, 'not_found');
      else t.is(outcome.contact.externalId, 'x');
      if (!(outcome instanceof Fault)) written += 1;
    }
  };
  await Promise.all([move().finally(() => moving.abort()), ...[1, 2, 3].map(write)]);
  t.true(written > 0);
});

test('an upsert updates the contact with the external ID, or else with the address, or creates it', async (t) => {
  const workspace = newWorkspace(running().bus);
  const first = await upsert(workspace, { email: 'A@example.com', externalId: 'x', name: 'A' });
  t.like(first, { created: true, contact: { externalId: 'x' } });
  const { id } = first.contact;
  const byOwn = await upsert(workspace, { externalId: 'x', tags: ['t'] });
  t.like(byOwn, { created: false, contact: { id, tags: ['t'], email: 'A@example.com' } });
  const spelled = await upsert(workspace, { externalId: 'x', email: 'a@EXAMPLE.com' });
  t.deepEqual(spelled, byOwn, 'the address keeps its spelling');
  const moved = await upsert(workspace, { externalId: 'x', email: 'moved@example.com' });
  t.like(moved, { created: false, contact: { id, email: 'moved@example.com' } });
  t.deepEqual(await upsert(workspace, moved.contact), moved, 'as it was returned');
  const given = await upsert(workspace, { externalId: 'y', email: 'MOVED@example.com' });
  t.like(given, { created: false, contact: { id, externalId: 'y', email: 'moved@example.com' } });
  const removed = await upsert(workspace, { externalId: null, email: 'moved@example.com' });
  t.like(removed, { created: false, contact: { id, externalId: null } });

  const unknown = await workspace.attempt('contacts.upsert', { externalId: 'unknown' });
  t.true(unknown instanceof Fault);
  t.like((unknown as Fault).details.errors![0], {
    pointer: '/email',
    message: 'is required, because no contact has this externalId',
  });
  await upsert(workspace, { email: 'b@example.com', externalId: 'b' });
  const taken = await workspace.attempt('contacts.upsert', {
    externalId: 'b',
    email: 'moved@example.com',
  });
  t.is(codeOf(taken), 'conflict');
  t.like((taken as Fault).details, { existingId: id });
});

test('of many upserts with one external ID and several addresses at once, exactly one creates the contact', async (t) => {
  const workspace = newWorkspace(running().bus);
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      workspace.call(
        'contacts.upsert',
        {
          externalId: 'x',
          email: `${n % 3}@example.com`,
          properties: { [`p${n}`]: 'x' },
        },
        n % 2 === 0 ? `key-${n}` : undefined,
      ),
    ),
  );
  t.is(answers.filter(({ created }) => created).length, 1);
  const { contacts, pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 1);
  t.is(Object.keys(contacts[0]!.properties).length, 24);
});

test('a batch applies upserts by addresses and external IDs as if one after another', async (t) => {
  const workspace = newWorkspace(running().bus);
  const results = await batch(workspace, [
    { action: 'upsert', email: 'a@example.com', externalId: 'a' },
    { action: 'upsert', externalId: 'a', email: 'b@example.com', tags: ['one'] },
    { action: 'upsert', email: 'a@example.com', name: 'new' },
    { action: 'upsert', email: 'b@example.com', externalId: 'c' },
    { action: 'update', id: 'externalId:c', name: 'C' },
    { action: 'upsert', externalId: 'a' },
    { action: 'upsert' },
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 200, 201, 200, 200, 422, 422],
  );
  t.is(results[6]!.problem!.errors![0]!.message, 'is required');
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(
    contacts.map(({ email, name, tags, externalId }) => ({ email, name, tags, externalId })),
    [
      { email: 'b@example.com', name: 'C', tags: ['one'], externalId: 'c' },
      { email: 'a@example.com', name: 'new', tags: [], externalId: null },
    ],
  );
});

test('is 1 to 128 characters without control characters, and is not part of the size of a contact', async (t) => {
  const workspace = newWorkspace(running().bus);
  const longest = '🙂'.repeat(128);
  const large = { externalId: longest, properties: { a: 'x'.repeat(4000), b: 'y'.repeat(4000) } };
  const { contact } = await create(workspace, 'a@example.com', large);
  t.is(contact.externalId, longest);
  const { input } = operations['contacts.create'];
  for (const externalId of ['', `${longest}x`, 'a\nb', 'a\u0000b', '\u0085', '\ud800'])
    t.false(input.safeParse({ email: 'b@example.com', externalId }).success, externalId);
  const properties = { c: 'z'.repeat(1500) };
  t.is(
    codeOf(await workspace.attempt('contacts.update', { contactId: contact.id, properties })),
    'ok',
  );
});
