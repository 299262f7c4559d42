import { Fault, uuidOf, type ContactPropertyType, type PropertyValue } from '@roster/contracts';
import test from 'ava';
import { ended, startRunner, upload } from './imports/running-imports.js';
import {
  ended as actionEnded,
  start,
  startRunner as startActions,
} from './actions/running-actions.js';
import {
  codeOf,
  contactsFor,
  create,
  eventsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

const types = { age: 'number', member: 'boolean', since: 'date', city: 'string' } as const;
const values = { age: 12.5, member: true, since: '2024-02-29', city: 'Paris' };

async function typed(
  definitions: Readonly<Record<string, ContactPropertyType>> = types,
): Promise<Workspace> {
  const workspace = newWorkspace(running().bus);
  for (const [name, type] of Object.entries(definitions))
    await workspace.call('contact-properties.create', { name, label: name, type });
  return workspace;
}

const pointersOf = (outcome: unknown) =>
  outcome instanceof Fault ? outcome.details.errors?.map(({ pointer }) => pointer) : outcome;

test('values are those of the types of their properties, in every write, answer, list and event', async (t) => {
  const workspace = await typed();
  const { properties: definitions } = await workspace.call('contact-properties.list', {});
  t.deepEqual(Object.fromEntries(definitions.map(({ name, type }) => [name, type])), types);
  const { contact } = await create(workspace, 'a@example.com', { properties: values });
  t.deepEqual(contact.properties, values);
  t.deepEqual(await workspace.call('contacts.get', { contactId: contact.id }), { contact });
  const { contact: updated } = await workspace.call('contacts.update', {
    contactId: contact.id,
    properties: { age: -0.5, member: false, city: null },
  });
  t.deepEqual(updated.properties, { age: -0.5, member: false, since: '2024-02-29' });
  const upserted = await workspace.call('contacts.upsert', {
    email: 'a@example.com',
    properties: { age: 1e-7 },
  });
  t.is(upserted.contact.properties['age'], 1e-7);
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(contacts, [upserted.contact]);
  const [, changed] = await eventsOf(running(), workspace);
  t.like(JSON.parse(changed!.details!), {
    contact: { properties: updated.properties },
    previous: { properties: { age: 12.5, member: true, city: 'Paris' } },
  });
});

const wrong: [keyof typeof types, PropertyValue][] = [
  ['age', '12'],
  ['age', true],
  ['member', 'true'],
  ['member', 1],
  ['since', '2023-02-29'],
  ['since', '2024-1-1'],
  ['since', 20240101],
  ['city', 1],
  ['city', false],
];

test('a value of another type is refused by every write, with the pointer of the property', async (t) => {
  const workspace = await typed();
  const { contact } = await create(workspace, 'a@example.com');
  for (const [name, value] of wrong) {
    const properties = { [name]: value };
    for (const outcome of [
      await workspace.attempt('contacts.create', { email: 'b@example.com', properties }),
      await workspace.attempt('contacts.update', { contactId: contact.id, properties }),
      await workspace.attempt('contacts.upsert', { email: 'a@example.com', properties }),
      await workspace.attempt('contacts.upsert', { email: 'c@example.com', properties }, 'key'),
    ])
      t.deepEqual(pointersOf(outcome), [`/properties/${name}`]);
    const { results } = await workspace.call('contacts.batch', {
      operations: [
        { action: 'create', email: 'd@example.com', properties },
        { action: 'update', id: contact.id, properties },
        { action: 'upsert', email: 'a@example.com', properties },
      ],
    });
    t.deepEqual(
      (results as { status: number }[]).map(({ status }) => status),
      [422, 422, 422],
    );
  }
  t.is((await workspace.call('contacts.list', {})).contacts.length, 1);
});

test('without a definition only strings are accepted, and the first use defines the property as a string', async (t) => {
  const workspace = newWorkspace(running().bus);
  const refused = await workspace.attempt('contacts.create', {
    email: 'a@example.com',
    properties: { age: 12, city: 'Rome' },
  });
  t.is(
    (refused as Fault).details.errors![0]!.message,
    'must be a string: define it as a contact property of the type number first',
  );
  t.deepEqual((await workspace.call('contact-properties.list', {})).properties, []);
  await create(workspace, 'a@example.com', { properties: { age: '12' } });
  t.is(
    codeOf(
      await workspace.attempt('contacts.create', {
        email: 'b@example.com',
        properties: { age: 12 },
      }),
    ),
    'invalid',
  );
});

test('a contact may be sent back with the values of a property that was deleted, which are then not defined again', async (t) => {
  for (const strictProperties of [false, true]) {
    const workspace = await typed();
    const email = 'a@example.com';
    const { contact } = await create(workspace, email, { properties: values });
    const { id: contactId, properties } = contact;
    const { properties: definitions } = await workspace.call('contact-properties.list', {});
    for (const { id, name } of definitions)
      if (name === 'age' || name === 'member')
        await workspace.call('contact-properties.delete', { propertyId: id });
    await workspace.call('settings.update', { strictProperties });
    const sentBack = await workspace.call('contacts.update', { contactId, properties });
    t.deepEqual(sentBack, { contact });
    const upserted = await workspace.call('contacts.upsert', { email, properties, name: 'Ada' });
    t.deepEqual(upserted.contact.properties, values);
    const { results } = await workspace.call('contacts.batch', {
      operations: [
        { action: 'update', id: contactId, properties },
        { action: 'update', id: contactId, properties: { ...properties, age: 13 } },
      ],
    });
    t.deepEqual(
      (results as { status: number }[]).map(({ status }) => status),
      [200, 422],
    );
    const refused = await workspace.attempt('contacts.update', {
      contactId,
      properties: { ...properties, member: false },
    });
    t.deepEqual(pointersOf(refused), ['/properties/member']);
    const other = await workspace.attempt('contacts.create', {
      email: 'b@example.com',
      properties,
    });
    t.is(codeOf(other), 'invalid');
    t.is((await workspace.call('contact-properties.list', {})).properties.length, 2);
    const cleared = await workspace.call('contacts.update', {
      contactId,
      properties: { age: null, member: true },
    });
    t.deepEqual(Object.keys(cleared.contact.properties).toSorted(), ['city', 'member', 'since']);
  }
});

test('an import reads texts of CSV as values of the types, those of NDJSON are typed, and wrong ones are errors of their rows', async (t) => {
  const workspace = await typed();
  startRunner(t, running().service);
  const rows = [
    { email: 'a@example.com', properties: { age: ' 12.50 ', member: 'Yes', since: '2024-02-29' } },
    { email: 'b@example.com', properties: { age: '-1e3', member: '0', city: '7' } },
    { email: 'c@example.com', properties: { age: '1,5' } },
    { email: 'd@example.com', properties: { age: '9007199254740993' } },
    { email: 'e@example.com', properties: { since: '2024-02-30', member: 'maybe' } },
  ];
  const ofCsv = await upload(workspace, rows, { format: 'csv' });
  t.like(await ended(workspace, ofCsv), { created: 2, failed: 3 });
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(
    contacts.map(({ properties }) => properties),
    [
      { age: 12.5, member: true, since: '2024-02-29' },
      { age: -1000, member: false, city: '7' },
    ],
  );
  const { errors } = await workspace.call('imports.list-errors', { importId: ofCsv });
  t.deepEqual(
    errors.map(({ row, pointer }) => `${row} ${pointer}`),
    ['3 /properties/age', '4 /properties/age', '5 /properties/since', '5 /properties/member'],
  );
  const ofNdjson = await upload(
    workspace,
    [
      { email: 'f@example.com', properties: { age: '12' } },
      { email: 'g@example.com', properties: { age: 12, member: false } },
    ],
    { format: 'ndjson' },
  );
  t.like(await ended(workspace, ofNdjson), { created: 1, failed: 1 });
});

test('an action sets typed values, and changes nothing if the type is another one when it runs', async (t) => {
  const workspace = await typed();
  await create(workspace, 'a@example.com');
  const { id } = await start(workspace, { filter: {}, change: { properties: { age: 3 } } });
  const { id: later } = await start(workspace, {
    filter: {},
    change: { properties: { since: '2024-02-29' } },
  });
  await change(workspace, 'since', 'number');
  startActions(t, running().service);
  t.like(await actionEnded(workspace, id), { changed: 1, failed: 0 });
  const action = await actionEnded(workspace, later);
  t.like(action, { changed: 0, failed: 1 });
  t.regex(action.failures[0]!.message, /^properties\/since must be a number, because/);
});

/** Changes the type of a property as another process does, whose broadcast is lost. */
const change = ({ id }: Workspace, name: string, type: ContactPropertyType) =>
  running().database.query(
    {
      name: 'test.change-type',
      text: `with marked as (insert into contacts.typed_workspaces values ($1) on conflict do nothing)
        update contacts.contact_properties set type = $3 where workspace_id = $1 and name = $2`,
    },
    [uuidOf('workspace', id), name, type],
  );

test('after another process has changed a type, values of the former one are refused as wrong, by every write', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { properties: { age: '1' } });
  const attempts: ((properties: Record<string, PropertyValue>) => Promise<unknown>)[] = [
    (properties) => workspace.attempt('contacts.create', { email: 'b@example.com', properties }),
    (properties) =>
      workspace.attempt('contacts.create', { email: 'b@example.com', properties }, 'create'),
    (properties) => workspace.attempt('contacts.update', { contactId: contact.id, properties }),
    (properties) =>
      workspace.attempt('contacts.update', { contactId: contact.id, properties }, 'update'),
    (properties) => workspace.attempt('contacts.upsert', { email: 'a@example.com', properties }),
    (properties) => workspace.attempt('contacts.upsert', { email: 'c@example.com', properties }),
    (properties) =>
      workspace.attempt('contacts.batch', {
        atomic: true,
        operations: [{ action: 'upsert', email: 'a@example.com', properties }],
      }),
  ];
  for (const [n, attempt] of attempts.entries()) {
    const isNumber = n % 2 === 0;
    await change(workspace, 'age', isNumber ? 'number' : 'string');
    t.is(codeOf(await attempt({ age: isNumber ? `${n}` : n })), 'invalid', `${n}`);
    t.is(codeOf(await attempt({ age: isNumber ? n : `${n}` })), 'ok', `${n}`);
    if (n < 2)
      await workspace.call('contacts.delete', {
        contactId: (await workspace.call('contacts.find', { email: 'b@example.com', limit: 1 }))
          .contacts[0]!.id,
      });
  }
});

test('a slice of an import or of an action is applied with the types that another process has changed meanwhile', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'a@example.com', { properties: { age: '1' } });
  await change(workspace, 'age', 'number');
  startRunner(t, running().service);
  const importId = await upload(workspace, [{ email: 'b@example.com', properties: { age: '2' } }]);
  t.like(await ended(workspace, importId), { created: 1, failed: 0 });
  const { contacts } = await workspace.call('contacts.list', {});
  t.is(contacts[1]!.properties['age'], 2);
});

test('what a process that knows no types writes into a typed property is refused by the database, and other contacts are not', async (t) => {
  const workspace = await typed();
  const { contact } = await create(workspace, 'a@example.com', { properties: values });
  const workspaceId = uuidOf('workspace', workspace.id);
  const update = (set: object) =>
    running().database.query(
      {
        name: 'test.former-update',
        text: 'update contacts.contacts set properties = properties || $2::jsonb where workspace_id = $1',
      },
      [workspaceId, JSON.stringify(set)],
    );
  const refused = { message: /unavailable/i };
  for (const set of [{ age: '1' }, { member: 'true' }, { since: 'soon' }, { city: 1 }])
    await t.throwsAsync(update(set), refused);
  await update({ city: 'Rome', other: 1 });
  const insert = (email: string, properties: object) =>
    running().database.query(
      {
        name: 'test.former-insert',
        text: `insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
          select workspace_id, gen_random_uuid(), $2, $2, '', '[]', $3::jsonb, now() from contacts.contacts where id = $1`,
      },
      [uuidOf('contact', contact.id), email, JSON.stringify(properties)],
    );
  await t.throwsAsync(insert('b@example.com', { age: '1' }), refused);
  await insert('c@example.com', { age: 1, city: 'x' });
});

test('a contact keeps what it has from before its property was defined again, in updates of others', async (t) => {
  const workspace = await typed({ age: 'number' });
  const { contact } = await create(workspace, 'a@example.com', { properties: { age: 1 } });
  const { properties: definitions } = await workspace.call('contact-properties.list', {});
  await workspace.call('contact-properties.delete', { propertyId: definitions[0]!.id });
  await create(workspace, 'b@example.com', { properties: { age: 'one' } });
  const { contact: updated } = await workspace.call('contacts.update', {
    contactId: contact.id,
    properties: { city: 'Rome' },
  });
  t.deepEqual(updated.properties, { age: 1, city: 'Rome' });
});
