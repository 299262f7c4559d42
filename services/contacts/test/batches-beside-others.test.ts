import { Json, steadyNow } from '@roster/bus';
import {
  operations,
  versionOf,
  type CallInputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Session } from '@roster/storage';
import test from 'ava';
import { batchContacts } from '../operations/contacts/batch-contacts.js';
import { handlers } from '../handlers.js';
import { createContacts } from '../writing/insert-contacts.js';
import { workspaceLocked } from '../writing/watermark.js';
import { codeOf, contactsFor, create, newWorkspace, runContacts } from './running-contacts.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

type Operation = CallInputOf<Operations['contacts.batch']>['operations'][number];

const manyOf = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@example.com`);

test('no statement of a batch writes more than 50 contacts', async (t) => {
  const { bus, database } = running();
  const workspace = newWorkspace(bus);
  const rows: Record<string, number[]> = {};
  const recording = (session: Session): Session => ({
    em: session.em,
    query(statement, values) {
      (rows[statement.name] ??= []).push(String(values[0]).split(',').length);
      return session.query(statement, values);
    },
    transaction: (work) => session.transaction((inner) => work(recording(inner))),
    afterCommit: (then) => session.afterCommit(then),
  });
  const handle = batchContacts(serviceOn(database));
  const apply = async (applied: Operation[]) => {
    const call = { caller: workspace.caller, requestId: 'test', deadline: steadyNow() + 60_000 };
    const [answer] = await handle(
      [{ ...call, input: { operations: applied } }],
      recording(database),
    );
    const text = Json.textOf(answer);
    return (JSON.parse(text) as OutputOf<Operations['contacts.batch']>).results;
  };
  const emails = manyOf(120);
  const created = await apply(emails.map((email) => ({ action: 'create', email })));
  const ids = created.map(({ id }) => id!);
  await apply(ids.map((id) => ({ action: 'update', id, name: 'changed' })));
  await apply(ids.map((id) => ({ action: 'delete', id })));
  for (const name of ['contacts.create-in-turn', 'contacts.update', 'contacts.delete'])
    t.deepEqual(rows[name], [50, 50, 20], name);
});

test('a batch pauses between its slices if another workspace is active', async (t) => {
  const { bus, database } = running();
  const workspace = newWorkspace(bus);
  const service = serviceOn(database);
  const asked: string[] = [];
  service.bus.callers.isOtherActive = (workspaceId) => {
    asked.push(workspaceId);
    return false;
  };
  const added = manyOf(120).map((email) => ({ action: 'create' as const, email }));
  const call = { caller: workspace.caller, requestId: 'test', deadline: steadyNow() + 60_000 };
  await batchContacts(service)([{ ...call, input: { operations: added } }], database);
  const { workspaceId } = workspace.caller;
  t.deepEqual(asked, [workspaceId, workspaceId]);
});

test('batches and single writes of the same contacts in any order do not wait for each other in a circle', async (t) => {
  // Batches wait for each other for long on a busy machine, whereas a circle is broken after a second.
  const { bus, stop } = await runContacts({ batchLockMs: 30_000 });
  t.teardown(stop);
  const workspace = newWorkspace(bus);
  const emails = manyOf(20);
  const shuffled = (from: number) => [...emails.slice(from), ...emails.slice(0, from)];
  const batches = Array.from({ length: 12 }, (_, n) =>
    workspace.attempt(
      'contacts.batch',
      {
        operations: (n % 2 ? shuffled(n) : shuffled(n).toReversed()).map((email, at) => ({
          action: 'upsert' as const,
          email,
          properties: { [`p${n}_${at % 3}`]: 'x' },
        })),
      },
      n % 3 === 0 ? `k${n}` : undefined,
    ),
  );
  const singles = Array.from({ length: 60 }, (_, n) =>
    workspace.attempt(
      n % 2 ? 'contacts.upsert' : 'contacts.create',
      { email: emails[n % 20]!, properties: { [`s${n}`]: 'x' } },
      n % 5 === 0 ? `s${n}` : undefined,
    ),
  );
  const outcomes = await Promise.all([...batches, ...singles]);
  const codes = new Set(outcomes.map(codeOf));
  codes.delete('conflict');
  t.deepEqual([...codes], ['ok']);
  t.is((await workspace.call('contacts.list', {})).pagination.total, 20);
});

test('the first batch of a workspace does not make creations in other workspaces wait', async (t) => {
  const { bus, database, stop } = await runContacts({ lockMs: 5000 });
  const gate = Promise.withResolvers<void>();
  t.teardown(stop);
  const service = serviceOn(database);
  const [first, second] = [newWorkspace(bus), newWorkspace(bus)].map(({ caller }) => ({
    caller,
    requestId: 'test',
    deadline: steadyNow() + 60_000,
  }));
  const batched: Operation[] = [{ action: 'create', email: 'a@example.com' }];
  const applied = Promise.withResolvers<void>();
  const uncommitted = database.transaction(async (session) => {
    await batchContacts(service)([{ ...first!, input: { operations: batched } }], session);
    applied.resolve();
    await gate.promise;
  });
  await Promise.race([applied.promise, uncommitted]);
  const input = operations['contacts.create'].input.parse({ email: 'b@example.com' });
  const calls = [first!, second!].map((call) => ({ ...call, input }));
  try {
    const [locked, created] = await createContacts(service, calls, database, 'unlocked');
    t.is(locked, workspaceLocked);
    t.is(codeOf(created), 'ok');
  } finally {
    gate.resolve();
    await uncommitted;
  }
});

test('a connection serves updates with If-Match and batches, one after another', async (t) => {
  // Only one of the two connections is used by transactions at a time.
  const { bus, stop } = await runContacts({ poolMax: 2 });
  t.teardown(stop);
  const workspace = newWorkspace(bus);
  const { contact } = await create(workspace, 'a@example.com');
  for (const name of ['first', 'second', 'third']) {
    const current = await workspace.call('contacts.get', { contactId: contact.id });
    const version = versionOf(operations['contacts.get'], Buffer.from(JSON.stringify(current)));
    const update = { contactId: contact.id, name };
    const updated = await workspace.attempt('contacts.update', update, undefined, [version]);
    t.is(codeOf(updated), 'ok');
    const tagged = { action: 'update' as const, id: contact.id, tags: [name] };
    t.is(codeOf(await workspace.attempt('contacts.batch', { operations: [tagged] })), 'ok');
  }
});

test('a property that a refused batch used in several operations is defined by the next contact that has it', async (t) => {
  const workspace = newWorkspace(running().bus);
  const properties = { city: 'x' };
  const operations: Operation[] = [
    { action: 'create', email: 'a@example.com', properties },
    { action: 'upsert', email: 'b@example.com', properties },
    { action: 'delete', id: unknownId },
  ];
  const refused = await workspace.attempt('contacts.batch', { operations, atomic: true });
  t.is(codeOf(refused), 'invalid');
  await create(workspace, 'c@example.com', { properties });
  const { properties: defined } = await workspace.call('contact-properties.list', {});
  t.deepEqual(
    defined.map(({ name }) => name),
    ['city'],
  );
});

test('a batch that is not finished shortly before its deadline is refused, and changes nothing', async (t) => {
  const workspace = newWorkspace(running().bus);
  const input = { operations: [{ action: 'create' as const, email: 'a@example.com' }] };
  const call = { input, caller: workspace.caller, requestId: 'test', deadline: steadyNow() + 50 };
  const handle = handlers(serviceOn(running().database))['contacts.batch'];
  t.like(await t.throwsAsync(handle([call])), { code: 'unavailable' });
  t.deepEqual((await workspace.call('contacts.list', {})).contacts, []);
});

const unknownId = 'cont_01h455vb4pex5vsknk084sn02q';
