import { Json, steadyNow } from '@roster/bus';
import {
  Fault,
  operations,
  versionOf,
  type CallInputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Session } from '@roster/service/storage';
import test from 'ava';
import { batchContacts } from '../batch/batch-contacts.js';
import { handlers } from '../handlers.js';
import { createContacts } from '../insert-contacts.js';
import { workspaceLocked } from '../workspace-locked.js';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  runContacts,
  type Workspace,
} from './running-contacts.js';
import { serviceOn } from './service-on.js';

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
    { action: 'update', id: known.id, status: 'unsubscribed' },
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 409, 200, 201, 422, 200, 404, 422],
  );
  const problem = { type: '/problems/conflict', status: 409, code: 'conflict' };
  t.like(results[1]!.problem, { ...problem, existingId: known.id });
  t.deepEqual(results[2]!.contact, { ...known, tags: ['x'] });
  t.deepEqual(
    results[4]!.problem!.errors!.map(({ pointer }) => pointer),
    ['/operations/4/email', '/operations/4/color'],
  );
  t.deepEqual(results[5], { status: 200, deleted: true });
  t.is(results[6]!.problem!.code, 'not_found');
  t.is(results[7]!.problem!.errors![0]!.pointer, '/operations/7/status');
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(contacts, [results[2]!.contact!, results[0]!.contact!, results[3]!.contact!]);
  t.deepEqual((await kindsOf(running(), workspace)).toSorted(), [
    ...Array.from({ length: 4 }, () => 'CONTACT_CREATED'),
    'CONTACT_DELETED',
    'CONTACT_UPDATED',
  ]);
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
  t.like(results[1]!.contact, { name: 'first', email: 'b@example.com' });
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(
    contacts.map(({ name, email, tags }) => [name, email, tags]),
    [
      ['second', 'a@example.com', []],
      ['third', 'b@example.com', ['x']],
    ],
  );
});

test('random batches are answered as the same operations one after another', async (t) => {
  const random = randomOf(Date.now());
  const pick = <T>(some: readonly T[]): T => some[random(some.length)]!;
  for (let run = 0; run < 12; run += 1) {
    const [together, apart] = [newWorkspace(running().bus), newWorkspace(running().bus)];
    const beginnings = manyOf(3, 'x');
    const idsOf = async (workspace: Workspace) => {
      const ids: string[] = [];
      for (const email of beginnings) ids.push((await create(workspace, email)).contact.id);
      return ids;
    };
    const [ids, idsApart] = [await idsOf(together), await idsOf(apart)];
    const email = () => pick([...beginnings, ...manyOf(2, 'X'), 'y@example.com']);
    const change = () =>
      pick([{ name: pick(['p', 'q']) }, { tags: [pick(['s', 't'])] }, { properties: { k: 'v' } }]);
    const operations = Array.from({ length: 8 }, (): [Operation, Operation] => {
      const action = pick(['create', 'upsert', 'update', 'delete'] as const);
      const at = random(ids.length);
      const address = { email: email() };
      const fields =
        action === 'delete'
          ? {}
          : { ...change(), ...(action !== 'update' || random(2) ? address : {}) };
      const named = (own: string[]) =>
        action === 'update' || action === 'delete' ? { id: own[at]! } : {};
      return [
        { action, ...fields, ...named(ids) },
        { action, ...fields, ...named(idsApart) },
      ];
    });
    const results = await batch(
      together,
      operations.map(([first]) => first),
    );
    const singly: typeof results = [];
    for (const [, second] of operations) singly.push(...(await batch(apart, [second])));
    const [shown, expected] = [shownOf(results), shownOf(singly)];
    t.deepEqual(shown, expected, JSON.stringify(operations.map(([first]) => first)));
    const listOf = async (workspace: Workspace) =>
      shownOf((await workspace.call('contacts.list', {})).contacts).toSorted();
    t.deepEqual(await listOf(together), await listOf(apart));
    const counts = await Promise.all([together, apart].map((one) => kindsOf(running(), one)));
    t.deepEqual(counts[0]!.toSorted(), counts[1]!.toSorted());
  }
});

/** Without what differs between two workspaces. */
const shownOf = (results: readonly unknown[]) =>
  results.map((result) =>
    JSON.stringify(result)
      .replaceAll(/cont_\w+/g, '')
      .replaceAll(/"createdAt":"[^"]*"/g, '')
      .replaceAll(/\/operations\/\d+/g, ''),
  );

/** Integers from 0 to below a maximum. */
function randomOf(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

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
  const missing = (await attempt([
    ...operations.slice(0, 2),
    { action: 'delete', id: unknownId },
  ])) as Fault;
  t.deepEqual(missing.details.errors, [
    { pointer: '/operations/2/id', message: 'No such contact.' },
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
    const ids = created.results.map(({ contact }) => contact!.id);
    t.deepEqual(ids, ids.toSorted(), 'in the order of the operations');
    const updated = await send(
      created.results.map(({ contact }) => ({ action: 'update', ...contact, name: 'changed' })),
    );
    const upserted = await send(emails.map((email) => ({ action: 'upsert', email, tags: ['t'] })));
    t.is((await workspace.call('contacts.list', { limit: 1 })).pagination.total, 1000);
    const deleted = await send(ids.map((id) => ({ action: 'delete', id })));
    for (const { statements } of [created, updated, upserted, deleted])
      t.true(statements <= 90, `${statements} statements`);
    t.is((await workspace.call('contacts.list', { limit: 1 })).pagination.total, 0);
    t.is((await kindsOf(running(), workspace)).length, 4000);
  },
);

test('no statement of a batch writes more than 50 contacts', async (t) => {
  const { bus, database } = running();
  const workspace = newWorkspace(bus);
  const rows: Record<string, number[]> = {};
  const recording = (session: Session): Session => ({
    em: session.em,
    query(statement, values) {
      (rows[statement.name] ??= []).push((values[0] as unknown[]).length);
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
  const ids = created.map(({ contact }) => contact!.id);
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

test('batches and single writes of the same contacts in any order do not wait for each other in a circle', async (t) => {
  const workspace = newWorkspace(running().bus);
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

test('refuses a batch of contacts that are too large for one response', async (t) => {
  const workspace = newWorkspace(running().bus);
  const properties = Object.fromEntries(
    Array.from({ length: 15 }, (_, n) => [`p${n}`, 'v'.repeat(4096)]),
  );
  const { contact } = await create(workspace, 'a@example.com', { properties });
  const update = { action: 'update' as const, id: contact.id };
  t.is(
    (
      await batch(
        workspace,
        Array.from({ length: 130 }, () => update),
      )
    ).length,
    130,
  );
  const operations = Array.from({ length: 140 }, () => update);
  const refused = await workspace.attempt('contacts.batch', { operations });
  t.is(codeOf(refused), 'invalid');
  t.is((refused as Fault).details.errors![0]!.pointer, '/operations');
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
