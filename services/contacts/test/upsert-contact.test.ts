import { Fault } from '@roster/contracts';
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

const upsert = (workspace: Workspace, email: string, more: object = {}) =>
  workspace.call('contacts.upsert', { email, ...more });

test('creates the contact with an address, and later merges into it, with an event for each change', async (t) => {
  const workspace = newWorkspace(running().bus);
  const first = await upsert(workspace, 'Ada@example.com', {
    name: 'Ada',
    status: 'unsubscribed',
    properties: { city: 'London', none: null },
  });
  t.true(first.created);
  t.like(first.contact, {
    email: 'Ada@example.com',
    name: 'Ada',
    tags: [],
    properties: { city: 'London' },
    status: 'unsubscribed',
  });
  const second = await upsert(workspace, 'ada@EXAMPLE.com', {
    tags: ['x'],
    properties: { city: null, plan: 'pro' },
  });
  t.deepEqual(second, {
    created: false,
    contact: {
      ...first.contact,
      tags: ['x'],
      properties: { plan: 'pro' },
      updatedAt: second.contact.updatedAt,
      version: 2,
    },
  });
  const { contact } = second;
  t.deepEqual(await upsert(workspace, 'ada@example.com', { tags: ['x'] }), second);
  t.deepEqual(await upsert(workspace, 'ada@example.com', contact), second, 'as it was returned');
  t.deepEqual(await workspace.call('contacts.get', { contactId: contact.id }), { contact });
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('an address is found by lists, upserts and conflicts on the same connections', async (t) => {
  const workspace = newWorkspace(running().bus);
  const email = 'ada@example.com';
  const { contact } = await create(workspace, email);
  // More at once than the pool has connections, so that each connection runs all of them.
  for (let round = 0; round < 3; round += 1)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        t.deepEqual((await workspace.call('contacts.find', { limit: 1, email })).contacts, [
          contact,
        ]);
        t.deepEqual(await upsert(workspace, email), { created: false, contact });
        t.is(codeOf(await create(workspace, email).catch((fault: unknown) => fault)), 'conflict');
      }),
    );
});

test('of many upserts and creations of one address at once, exactly one creates the contact', async (t) => {
  const workspace = newWorkspace(running().bus);
  const other = newWorkspace(running().bus);
  const names = Array.from({ length: 30 }, (_, n) => `p${n}`);
  const upserts = names.map((name) =>
    // Half of them in transactions of their own.
    workspace.call(
      'contacts.upsert',
      {
        email: name.endsWith('1') ? 'A@example.com' : 'a@example.com',
        properties: { [name]: 'x' },
      },
      Number(name.slice(1)) % 2 === 0 ? name : undefined,
    ),
  );
  const creations = names.map(() =>
    workspace.attempt('contacts.create', { email: 'a@example.com' }),
  );
  const [answers, outcomes, foreign] = await Promise.all([
    Promise.all(upserts),
    Promise.all(creations),
    upsert(other, 'a@example.com'),
  ]);
  const created = [
    ...answers.filter((answer) => answer.created),
    ...outcomes.filter((outcome) => !(outcome instanceof Fault)),
  ];
  t.is(created.length, 1);
  t.is(new Set(answers.map(({ contact }) => contact.id)).size, 1);
  const { contacts, pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 1);
  t.deepEqual(Object.keys(contacts[0]!.properties).toSorted(), names.toSorted());
  t.true(foreign.created);
  t.not(foreign.contact.id, contacts[0]!.id);
});

test('upserts while the contact is deleted and renamed at once write only to a contact with the address', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (let round = 0; round < 10; round += 1) {
    const email = `r${round}@example.com`;
    const { contact } = await create(workspace, email);
    const contactId = contact.id;
    const upserts = Array.from({ length: 4 }, (_, n) =>
      workspace.call('contacts.upsert', { email, name: `N${n}` }, `${round}-${n}`),
    );
    const change =
      round % 2 === 0
        ? workspace.call('contacts.delete', { contactId })
        : workspace.call('contacts.update', { contactId, email: `moved-${email}` });
    const [answers] = await Promise.all([Promise.all(upserts), change]);
    for (const { contact: written } of answers) t.is(written.email, email);
    t.true(answers.filter(({ created }) => created).length <= 1);
  }
});

test('refuses read-only fields of other values, and those of a contact that does not exist', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const errorsOf = async (email: string, fields: object) => {
    const outcome = await workspace.attempt('contacts.upsert', { email, ...fields });
    return outcome instanceof Fault ? outcome.details.errors : undefined;
  };
  const [error] = (await errorsOf('a@example.com', { createdAt: '2020-01-01T00:00:00Z' }))!;
  t.is(error!.pointer, '/createdAt');
  t.deepEqual(await errorsOf('b@example.com', { id: contact.id }), [
    {
      pointer: '/id',
      message: 'cannot be chosen: omit it, because no contact has this email address',
    },
  ]);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
});

test('a repeated upsert with the same Idempotency-Key gets the first response', async (t) => {
  const workspace = newWorkspace(running().bus);
  const input = { email: 'a@example.com', name: 'A' };
  const first = await workspace.call('contacts.upsert', input, 'k');
  t.true(first.created);
  t.deepEqual(await workspace.call('contacts.upsert', input, 'k'), first);
  t.is(
    codeOf(await workspace.attempt('contacts.upsert', { ...input, name: 'B' }, 'k')),
    'idempotency_key_reused',
  );
});
