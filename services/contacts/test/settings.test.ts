import { Fault, systemCaller, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { lockDefinitions } from '../writing/definitions/definition-rows.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const contacts = contactsFor(test);

test('settings have defaults, keep what an update omits, and belong to one workspace', async (t) => {
  const { bus } = contacts();
  const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
  const settingsOf = async (one: Workspace) => (await one.call('settings.get', {})).settings;
  t.deepEqual(await settingsOf(workspace), { strictProperties: false });
  t.deepEqual(await setStrict(workspace, true), { settings: { strictProperties: true } });
  await workspace.call('settings.update', {});
  t.deepEqual(await settingsOf(workspace), { strictProperties: true });
  t.deepEqual(await settingsOf(other), { strictProperties: false });
  await create(other, 'ada@example.com', { properties: { citty: 'Rome' } });
});

test('a change is recorded once in the audit log, with the settings before and after', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  await workspace.call('settings.update', { strictProperties: true }, 'once');
  await workspace.call('settings.update', { strictProperties: true }, 'once');
  await setStrict(workspace, true);
  t.is(
    codeOf(await workspace.attempt('settings.update', {}, undefined, ['x'])),
    'precondition_failed',
  );
  const { entries } = await contacts().bus.call(
    'contacts.audit-entries',
    { workspaceId: workspace.id, limit: 10 },
    { caller: systemCaller, requestId: 'test', deadline: Date.now() + 60_000 },
  );
  t.is(entries.length, 1);
  t.like(entries[0], {
    action: 'settings.updated',
    actor: workspace.caller.userId,
    resourceId: workspace.id,
    before: { strictProperties: false },
    after: { strictProperties: true },
  });
});

test('with strictProperties, unknown names are refused in every write, with the nearest defined name, and are not defined', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  const email = 'ada@example.com';
  const { contact } = await create(workspace, email, { properties: { city: 'Rome' } });
  await setStrict(workspace, true);
  const properties = { city: 'Pisa', citty: 'Rome', zzzzz: 'x' };
  const attempts = [
    workspace.attempt('contacts.create', { email: 'bob@example.com', properties }),
    workspace.attempt('contacts.update', { contactId: contact.id, properties }),
    workspace.attempt('contacts.upsert', { email, properties }),
    workspace.attempt('contacts.upsert', { email: 'eve@example.com', properties }),
  ];
  for (const attempt of attempts)
    t.deepEqual(((await attempt) as Fault).details.errors, [
      {
        pointer: '/properties/citty',
        message: 'is not a known property: did you mean "city"?',
      },
      {
        pointer: '/properties/zzzzz',
        message: 'is not a known property: define it as a contact property first',
      },
    ]);
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'create', email: 'joe@example.com', properties: { city: 'Rome' } },
      { action: 'update', id: contact.id, properties: { ctiy: 'Rome' } },
      { action: 'upsert', email: 'kim@example.com', properties: { City: 'Rome' } },
    ],
  });
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 422, 422],
  );
  const { properties: defined } = await workspace.call('contact-properties.list', {});
  t.deepEqual(
    defined.map(({ name }) => name),
    ['city'],
  );
  t.is(
    (await workspace.call('contacts.get', { contactId: contact.id })).contact.properties['city'],
    'Rome',
  );
});

test('a name that was defined, the removal of any, and every name after the setting was reset, are accepted', async (t) => {
  const workspace = newWorkspace(contacts().bus);
  await setStrict(workspace, true);
  await workspace.call('contact-properties.create', { name: 'plan', label: 'Plan' });
  const { contact } = await create(workspace, 'ada@example.com', { properties: { plan: 'pro' } });
  const update = (properties: Record<string, string | null>) =>
    workspace.attempt('contacts.update', { contactId: contact.id, properties });
  t.is(codeOf(await update({ gone: null })), 'ok');
  t.is(codeOf(await update({ city: 'Rome' })), 'invalid');
  await setStrict(workspace, false);
  t.is(codeOf(await update({ city: 'Rome' })), 'ok');
});

test('a contact whose names were looked up before the change, and that is written after it, obeys it', async (t) => {
  const { bus, database } = contacts();
  const workspace = newWorkspace(bus);
  const workspaceId = uuidOf('workspace', workspace.id);
  const gate = Promise.withResolvers<void>();
  const held = Promise.withResolvers<number>();
  const change = database.transaction(async (inner) => {
    await lockDefinitions(inner, workspaceId, []);
    const [row] = await inner.query<{ pid: number }>(
      {
        name: 'test.set',
        text: `insert into contacts.settings values ($1, true) returning pg_backend_pid() as pid`,
      },
      [workspaceId],
    );
    held.resolve(row!.pid);
    await gate.promise;
  });
  const pid = await held.promise;
  const attempt = workspace.attempt('contacts.create', {
    email: 'ada@example.com',
    properties: { citty: 'Rome' },
  });
  const waiting = {
    name: 'test.waiting',
    text: 'select 1 from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
  };
  await eventually(async () => (await database.query(waiting, [pid])).length > 0);
  gate.resolve();
  await change;
  t.is(codeOf(await attempt), 'invalid');
});

const setStrict = (workspace: Workspace, strictProperties: boolean) =>
  workspace.call('settings.update', { strictProperties });
