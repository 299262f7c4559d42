import { Fault, operations, uuidOf, versionOf } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

test('operations on one contact take its address in place of its ID, and answer with the ID', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'Ada@exämple.com', { name: 'Ada' });
  const contactId = 'email:ADA@xn--exmple-cua.com';
  t.deepEqual(await workspace.call('contacts.get', { contactId }), { contact });
  const updated = await workspace.call('contacts.update', {
    contactId,
    id: contact.id,
    tags: ['x'],
  });
  t.like(updated.contact, { id: contact.id, email: 'Ada@exämple.com', tags: ['x'] });
  for (const [name, status] of [
    ['contacts.unsubscribe', 'unsubscribed'],
    ['contacts.resubscribe', 'subscribed'],
  ] as const)
    t.like((await workspace.call(name, { contactId })).contact, { id: contact.id, status });
  t.deepEqual(await workspace.call('contacts.delete', { contactId }), {
    deleted: true,
    id: contact.id,
  });
  t.deepEqual(await kindsOf(running(), workspace), [
    'CONTACT_CREATED',
    'CONTACT_UPDATED',
    'CONTACT_UNSUBSCRIBED',
    'CONTACT_RESUBSCRIBED',
    'CONTACT_DELETED',
  ]);
  for (const { body } of await eventsOf(running(), workspace))
    t.is(JSON.parse(body).data.contact.id, contact.id);
  const audited = await running().database.query<{ resource_id: string }>(
    {
      name: 'test.audited',
      text: `select resource_id from contacts.audit_log where workspace_id = $1 and action = 'contact.deleted'`,
    },
    [uuidOf('workspace', workspace.id)],
  );
  t.deepEqual(audited, [{ resource_id: contact.id }]);
});

const named = [
  'contacts.get',
  'contacts.update',
  'contacts.delete',
  'contacts.unsubscribe',
  'contacts.resubscribe',
] as const;

test('an address that only a contact of another workspace has is answered as an unknown ID', async (t) => {
  const other = newWorkspace(running().bus);
  await create(other, 'ada@example.com');
  const workspace = newWorkspace(running().bus);
  const unknown = { contactId: 'cont_01jdd2wyr0fgysy41bd96rx7r1' };
  for (const name of named)
    for (const key of name === 'contacts.get' ? [undefined] : [undefined, `key-${name}`]) {
      const input = { contactId: 'email:ada@example.com' };
      const outcome = await workspace.attempt(name, input, key);
      t.true(outcome instanceof Fault, name);
      t.deepEqual(outcome, await workspace.attempt(name, unknown), name);
    }
  t.deepEqual(await kindsOf(running(), other), ['CONTACT_CREATED']);
});

test('one batch reads contacts by their IDs and by their addresses', async (t) => {
  const workspace = newWorkspace(running().bus);
  const other = newWorkspace(running().bus);
  const a = (await create(workspace, 'a@example.com')).contact;
  const b = (await create(workspace, 'b@example.com')).contact;
  await create(other, 'c@example.com');
  const get = (contactId: string) => workspace.attempt('contacts.get', { contactId });
  const answers = await Promise.all(
    [a.id, 'email:b@example.com', 'email:c@example.com', 'email:a@example.com', b.id].map(get),
  );
  t.deepEqual(
    answers.map((answer) => (answer instanceof Fault ? answer.code : answer.contact.id)),
    [a.id, b.id, 'not_found', a.id, b.id],
  );
});

test('updates of one contact by its ID and by its address at once are all applied', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const names = Array.from({ length: 60 }, (_, n) => `p${n}`);
  const spellings = [contact.id, 'email:a@example.com', 'email:A@EXAMPLE.COM'];
  await Promise.all(
    names.map((name, n) =>
      workspace.call(
        'contacts.update',
        { contactId: spellings[n % 3]!, properties: { [name]: 'x' } },
        n % 4 === 0 ? name : undefined,
      ),
    ),
  );
  const after = (await workspace.call('contacts.get', { contactId: contact.id })).contact;
  t.deepEqual(Object.keys(after.properties).toSorted(), names.toSorted());
  t.is(after.version, names.length + 1);
});

test('while addresses move from contact to contact, only a contact that has the address is changed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const address = 'moving@example.com';
  const contactId = `email:${address}`;
  const ids = await Promise.all(
    ['a', 'b'].map(async (name) => (await create(workspace, `${name}@example.com`)).contact.id),
  );
  const moves = async () => {
    for (let round = 0; round < 10; round += 1)
      for (const id of ids) {
        await workspace.call('contacts.update', { contactId: id, email: address });
        await workspace.call('contacts.update', { contactId: id, email: `${id}@example.com` });
      }
  };
  const moving = new AbortController();
  const written: string[] = [];
  const write = async (n: number) => {
    for (let round = 0; !moving.signal.aborted; round += 1) {
      const name = `${n}-${round}`;
      const key = n % 2 === 0 ? name : undefined;
      const outcome = await workspace.attempt('contacts.update', { contactId, name }, key);
      if (!(outcome instanceof Fault)) {
        t.is(outcome.contact.email, address);
        written.push(name);
      } else t.is(outcome.code, 'not_found');
      const unsubscribed = await workspace.attempt('contacts.unsubscribe', { contactId });
      if (!(unsubscribed instanceof Fault)) t.is(unsubscribed.contact.email, address);
    }
  };
  await Promise.all([moves().finally(() => moving.abort()), ...[1, 2, 3, 4].map(write)]);
  t.true(written.length > 0);
  for (const { kind, body, details } of await eventsOf(running(), workspace)) {
    const { name, email } = JSON.parse(body).data.contact as { name: string; email: string };
    const { previous } = JSON.parse(details!) as { previous?: { name?: string } };
    if (kind === 'CONTACT_UPDATED' && previous?.name !== undefined) t.is(email, address, name);
  }
});

test('a deletion by an address never deletes the contact that had it before', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (let round = 0; round < 15; round += 1) {
    const email = `r${round}@example.com`;
    const { contact } = await create(workspace, email);
    const [deletion] = await Promise.all([
      workspace.attempt('contacts.delete', { contactId: `email:${email}` }),
      workspace.attempt('contacts.update', { contactId: contact.id, email: `moved-${email}` }),
    ]);
    const left = await workspace.attempt('contacts.get', { contactId: contact.id });
    t.is(codeOf(left), codeOf(deletion) === 'ok' ? 'not_found' : 'ok');
  }
});

test('an If-Match applies to the contact with the address', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'a@example.com');
  const contactId = 'email:a@example.com';
  const context = { caller: workspace.caller, requestId: 'test', deadline: Date.now() + 10_000 };
  const bytes = await running().bus.callRaw('contacts.get', { contactId }, context);
  const version = versionOf(operations['contacts.get'], bytes);
  const change = (name: string) =>
    workspace.attempt('contacts.update', { contactId, name }, undefined, [version]);
  t.deepEqual(
    [codeOf(await change('one')), codeOf(await change('two'))],
    ['ok', 'precondition_failed'],
  );
});

test('a batch names contacts by the addresses that they have when each operation is applied', async (t) => {
  const workspace = newWorkspace(running().bus);
  const a = (await create(workspace, 'a@example.com')).contact;
  const b = (await create(workspace, 'b@example.com')).contact;
  const results = await batch(workspace, [
    { action: 'update', id: 'email:a@example.com', email: 'c@example.com', tags: ['first'] },
    { action: 'update', id: 'email:a@example.com', name: 'nobody' },
    { action: 'update', id: b.id, email: 'a@example.com' },
    { action: 'update', id: 'email:A@example.com', name: 'B' },
    { action: 'update', id: 'email:C@example.com', name: 'A' },
    { action: 'create', email: 'new@example.com' },
    { action: 'delete', id: 'email:new@example.com' },
    { action: 'delete', id: 'c@example.com' },
  ]);
  t.deepEqual(
    results.map(({ status, id }) => [status, id]),
    [
      [200, a.id],
      [404, undefined],
      [200, b.id],
      [200, b.id],
      [200, a.id],
      [201, results[5]!.id],
      [200, results[5]!.id],
      [422, undefined],
    ],
  );
  t.like(results[7]!.problem!.errors![0], {
    pointer: '/operations/7/id',
    message: 'must be an ID with the prefix cont_: an address needs the prefix email:',
  });
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(
    contacts.map(({ id, email, name, tags }) => ({ id, email, name, tags })),
    [
      { id: a.id, email: 'c@example.com', name: 'A', tags: ['first'] },
      { id: b.id, email: 'a@example.com', name: 'B', tags: [] },
    ],
  );
});

const batch = async (workspace: Workspace, all: object[]) =>
  (await workspace.call('contacts.batch', { operations: all as never })).results;
