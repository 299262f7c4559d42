import { Fault, uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  newWorkspace,
  runContacts,
  type RunningContacts,
  type Workspace,
} from './running-contacts.js';

let running: RunningContacts;
test.before(async () => {
  running = await runContacts();
});
test.after.always(() => running?.stop());

const create = (workspace: Workspace, email: string, more: object = {}) =>
  workspace.ask('contacts.create', { email, ...more });

const codeOf = (outcome: unknown) => (outcome instanceof Fault ? outcome.code : 'ok');

interface OutboxRow {
  kind: string;
  body: string;
}
const eventsOf = (workspace: Workspace) =>
  running.database.query<OutboxRow>(
    {
      name: 'test.events',
      text: 'select kind, body from contacts.outbox where workspace_id = $1 order by id',
    },
    [uuidOf('workspace', workspace.id)],
  );
const kindsOf = async (workspace: Workspace) => (await eventsOf(workspace)).map(({ kind }) => kind);

test('creates a contact, shows it as created, and announces it once', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'Ada+list@Example.com', {
    name: 'Ada "Λ" 👩‍🚀',
    tags: ['vip', 'early'],
    properties: { city: 'Zürich' },
  });
  t.like(contact, {
    email: 'Ada+list@Example.com',
    name: 'Ada "Λ" 👩‍🚀',
    tags: ['vip', 'early'],
    properties: { city: 'Zürich' },
    status: 'subscribed',
  });
  t.deepEqual(await workspace.ask('contacts.get', { contactId: contact.id }), { contact });
  const [event, ...others] = await eventsOf(workspace);
  const { id, email, name, createdAt } = contact;
  t.like(JSON.parse(event!.body), {
    event: 'CONTACT_CREATED',
    data: { contact: { id, email, name, createdAt } },
  });
  t.deepEqual(others, []);
});

test('refuses a second contact with the same email in any case, and names the first', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'grace@example.com');
  const fault = await t.throwsAsync(create(workspace, 'GRACE@example.COM'), { instanceOf: Fault });
  t.is(fault.code, 'conflict');
  t.is(fault.details.existingId, contact.id);
  t.deepEqual(await kindsOf(workspace), ['CONTACT_CREATED']);
  await t.notThrowsAsync(
    create(newWorkspace(running.bus), 'grace@example.com'),
    'another workspace may have it',
  );
});

test('of two creations of one email in one batch, the first wins and the neighbours are untouched', async (t) => {
  const workspace = newWorkspace(running.bus);
  const outcomes = await Promise.allSettled(
    ['a@example.com', 'same@example.com', 'SAME@example.com', 'b@example.com'].map((email) =>
      create(workspace, email),
    ),
  );
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  const { pagination } = await workspace.ask('contacts.list', {});
  t.is(pagination.total, 3);
});

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

test('updates what is sent and keeps the rest: tags replace, properties merge, null removes', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'a@example.com', {
    name: 'A',
    tags: ['x'],
    properties: { keep: '1', change: '2', drop: '3' },
  });
  const updated = await workspace.ask('contacts.update', {
    contactId: contact.id,
    tags: ['y', 'z'],
    properties: { change: 'two', drop: null, added: '4' },
  });
  t.deepEqual(updated.contact, {
    ...contact,
    tags: ['y', 'z'],
    properties: { keep: '1', change: 'two', added: '4' },
  });
  t.deepEqual(await kindsOf(workspace), ['CONTACT_CREATED', 'CONTACT_UPDATED']);
});

test('an update that changes nothing emits no event', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'a@example.com', {
    name: 'A',
    properties: { k: 'v' },
  });
  const same = { contactId: contact.id, name: 'A', tags: [], properties: { k: 'v', gone: null } };
  t.deepEqual(await workspace.ask('contacts.update', same), { contact });
  t.deepEqual(await workspace.ask('contacts.update', { contactId: contact.id }), { contact });
  t.deepEqual(await kindsOf(workspace), ['CONTACT_CREATED']);
});

test('two updates of one contact in one batch both apply, in order', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'a@example.com');
  const before = running.batches.length;
  const names = ['first', 'second', 'third'];
  const answers = await Promise.all(
    names.map((name) =>
      workspace.ask('contacts.update', {
        contactId: contact.id,
        name,
        properties: { [name]: 'yes' },
      }),
    ),
  );
  t.true(
    running.batches
      .slice(before)
      .some(({ operation, calls }) => operation === 'contacts.update' && calls >= 3),
    'they travelled together',
  );
  t.deepEqual(
    answers.map((answer) => answer.contact.name),
    names,
  );
  const after = await workspace.ask('contacts.get', { contactId: contact.id });
  t.like(after.contact, {
    name: 'third',
    properties: { first: 'yes', second: 'yes', third: 'yes' },
  });
});

test('changes an email, refuses one that is taken, and leaves the others of the batch alone', async (t) => {
  const workspace = newWorkspace(running.bus);
  const a = (await create(workspace, 'a@example.com')).contact;
  const b = (await create(workspace, 'b@example.com')).contact;
  const [taken, renamed] = await Promise.all([
    workspace.attempt('contacts.update', {
      contactId: a.id,
      email: 'B@example.com',
      name: 'never',
    }),
    workspace.attempt('contacts.update', { contactId: b.id, name: 'B' }),
  ]);
  t.is(codeOf(taken), 'conflict');
  t.is((taken as Fault).details.existingId, b.id);
  t.is(codeOf(renamed), 'ok');
  t.deepEqual((await workspace.ask('contacts.get', { contactId: a.id })).contact, a);
  const moved = await workspace.ask('contacts.update', {
    contactId: a.id,
    email: 'new@example.com',
  });
  t.is(moved.contact.email, 'new@example.com');
  await t.notThrowsAsync(create(workspace, 'a@example.com'), 'the old address is free');
});

test('unsubscribes and resubscribes, and announces only real changes', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'a@example.com');
  const contactId = contact.id;
  t.is((await workspace.ask('contacts.resubscribe', { contactId })).contact.status, 'subscribed');
  t.is((await workspace.ask('contacts.unsubscribe', { contactId })).contact.status, 'unsubscribed');
  t.is((await workspace.ask('contacts.unsubscribe', { contactId })).contact.status, 'unsubscribed');
  t.is((await workspace.ask('contacts.get', { contactId })).contact.status, 'unsubscribed');
  t.is((await workspace.ask('contacts.resubscribe', { contactId })).contact.status, 'subscribed');
  t.deepEqual(await kindsOf(workspace), [
    'CONTACT_CREATED',
    'CONTACT_UNSUBSCRIBED',
    'CONTACT_RESUBSCRIBED',
  ]);
});

test('deletes a contact once, and announces it with what it was', async (t) => {
  const workspace = newWorkspace(running.bus);
  const { contact } = await create(workspace, 'a@example.com', { name: 'Ünï "quoted"' });
  const outcomes = await Promise.all([
    workspace.attempt('contacts.delete', { contactId: contact.id }),
    workspace.attempt('contacts.delete', { contactId: contact.id }),
  ]);
  t.deepEqual(outcomes.map(codeOf).toSorted(), ['not_found', 'ok']);
  t.is(codeOf(await workspace.attempt('contacts.get', { contactId: contact.id })), 'not_found');
  const events = await eventsOf(workspace);
  t.is(events.length, 2);
  const { id, email, name, createdAt } = contact;
  t.like(JSON.parse(events[1]!.body), {
    event: 'CONTACT_DELETED',
    data: { contact: { id, email, name, createdAt } },
  });
  t.is((await workspace.ask('contacts.list', {})).pagination.total, 0);
});

test('another workspace finds, changes and deletes nothing', async (t) => {
  const owner = newWorkspace(running.bus);
  const stranger = newWorkspace(running.bus);
  const { contact } = await create(owner, 'a@example.com', {
    name: 'A',
    properties: { plan: 'pro' },
  });
  const contactId = contact.id;
  const { properties } = await owner.ask('contact-properties.list', {});
  const outcomes = await Promise.all([
    stranger.attempt('contacts.get', { contactId }),
    stranger.attempt('contacts.update', { contactId, name: 'X' }),
    stranger.attempt('contacts.update', { contactId, email: 'x@example.com' }),
    stranger.attempt('contacts.delete', { contactId }),
    stranger.attempt('contacts.unsubscribe', { contactId }),
    stranger.attempt('contacts.resubscribe', { contactId }),
    stranger.attempt('contact-properties.update', { propertyId: properties[0]!.id, label: 'X' }),
  ]);
  t.deepEqual(
    outcomes.map(codeOf),
    Array.from({ length: outcomes.length }, () => 'not_found'),
  );
  t.like(await stranger.ask('contacts.list', {}), { contacts: [], pagination: { total: 0 } });
  t.deepEqual((await stranger.ask('contact-properties.list', {})).properties, []);
  t.deepEqual((await owner.ask('contacts.get', { contactId })).contact, contact);
  t.deepEqual(await kindsOf(stranger), []);
});

test('pages by offset and by cursor in the order of creation, with the exact total at every step', async (t) => {
  const workspace = newWorkspace(running.bus);
  const emails = Array.from({ length: 23 }, (_, n) => `page${n}@example.com`);
  for (const email of emails) await create(workspace, email);
  const byOffset: string[] = [];
  for (let offset = 0; offset < 30; offset += 5) {
    const { contacts, pagination } = await workspace.ask('contacts.list', { limit: 5, offset });
    t.like(pagination, { total: 23, limit: 5, offset });
    byOffset.push(...contacts.map(({ email }) => email));
  }
  t.deepEqual(byOffset, emails);
  const byCursor: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await workspace.ask('contacts.list', {
      limit: 5,
      offset: 0,
      ...(after ? { after } : {}),
    });
    t.is(page.pagination.total, 23);
    byCursor.push(...page.contacts.map(({ email }) => email));
    after = page.pagination.next;
  } while (after !== null);
  t.deepEqual(byCursor, emails);
});

test('refuses a cursor that is none, and answers its neighbours', async (t) => {
  const workspace = newWorkspace(running.bus);
  await create(workspace, 'a@example.com');
  const [bad, good] = await Promise.all([
    workspace.attempt('contacts.list', { limit: 5, offset: 0, after: 'nonsense' }),
    workspace.attempt('contacts.list', { limit: 5, offset: 0 }),
  ]);
  t.is(codeOf(bad), 'invalid');
  t.like(good, { pagination: { total: 1 } });
});

test('a reader who pages by cursor while others create misses none of what was there, and sees none twice', async (t) => {
  const workspace = newWorkspace(running.bus);
  let creating = true;
  const writers = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 50; n += 1) await create(workspace, `w${writer}-${n}@example.com`);
    }),
  ).finally(() => (creating = false));
  const seen: string[] = [];
  let after: string | undefined;
  for (let last = false; !last;) {
    last = !creating;
    const page = await workspace.ask('contacts.list', {
      limit: 7,
      offset: 0,
      ...(after ? { after } : {}),
    });
    seen.push(...page.contacts.map(({ id }) => id));
    const reached = page.contacts.at(-1)?.id;
    if (reached) after = reached.slice('cont_'.length);
    if (page.pagination.next) last = false;
  }
  await writers;
  t.is(seen.length, 200);
  t.deepEqual(seen, [...new Set(seen)].toSorted());
});

test.serial('200 concurrent reads reach the database in at most 8 statements', async (t) => {
  const workspace = newWorkspace(running.bus);
  const contacts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => create(workspace, `get${n}@example.com`)),
  );
  const count = () => running.statements.filter((name) => name === 'contacts.get').length;
  const before = count();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      workspace.ask('contacts.get', { contactId: contacts[n % 20]!.contact.id }),
    ),
  );
  t.deepEqual(
    answers.map(({ contact }) => contact.id),
    Array.from({ length: 200 }, (_, n) => contacts[n % 20]!.contact.id),
  );
  t.true(count() - before <= 8, `${count() - before} statements`);
});

test('answers a repeated write with the same Idempotency-Key as it did the first time', async (t) => {
  const workspace = newWorkspace(running.bus);
  const input = { email: 'once@example.com', name: 'Once', tags: [], properties: {} };
  const twins = await Promise.all(
    [1, 2, 3].map(() => workspace.ask('contacts.create', input, 'key-1')),
  );
  t.deepEqual(twins[1], twins[0]);
  t.deepEqual(twins[2], twins[0]);
  t.deepEqual(await kindsOf(workspace), ['CONTACT_CREATED']);
  t.is(
    codeOf(await workspace.attempt('contacts.create', { ...input, name: 'Other' }, 'key-1')),
    'invalid',
  );
  t.is(codeOf(await workspace.attempt('contacts.create', input, 'key-2')), 'conflict');
  const stranger = newWorkspace(running.bus);
  const other = await stranger.ask('contacts.create', input, 'key-1');
  t.not(other.contact.id, twins[0]!.contact.id);
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

test('the total is exact through creations, deletions and rollbacks by many at once', async (t) => {
  const workspace = newWorkspace(running.bus);
  const created = await Promise.all(
    Array.from({ length: 120 }, (_, n) => create(workspace, `n${n}@example.com`)),
  );
  await Promise.all(
    created
      .slice(0, 50)
      .map(({ contact }) => workspace.ask('contacts.delete', { contactId: contact.id })),
  );
  await running.database
    .transaction(async (session) => {
      await session.query(
        { name: 'test.delete', text: 'delete from contacts.contacts where workspace_id = $1' },
        [uuidOf('workspace', workspace.id)],
      );
      throw new Fault('invalid', 'undo');
    })
    .catch(() => undefined);
  const { pagination } = await workspace.ask('contacts.list', {});
  t.is(pagination.total, 70);
});
