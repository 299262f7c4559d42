import { Contended, Json } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { handlers } from '../handlers.js';
import { heldKey, openReplica, storedKeys } from './other-processes.js';
import { codeOf, contactsFor, create, kindsOf, newWorkspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';

/** More connections than the tests hold in transactions and in statements that wait for them. */
const running = contactsFor(test, { batchLockMs: 60_000, poolMax: 16 });

test('of simultaneous requests with one key one is applied, and the others are answered idempotency_key_in_use', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const twins = (send: () => Promise<unknown>) => Promise.all([send(), send(), send()]);
  const input = { email: 'b@example.com' };
  const creations = await twins(() => workspace.attempt('contacts.create', input, 'create'));
  const refused = ['idempotency_key_in_use', 'idempotency_key_in_use', 'ok'];
  t.deepEqual(creations.map(codeOf).toSorted(), refused);
  t.deepEqual((creations.find((outcome) => outcome instanceof Fault) as Fault).details, {
    retryAfterSeconds: 1,
  });
  const definition = { name: 'city', label: 'City' };
  const definitions = await twins(() =>
    workspace.attempt('contact-properties.create', definition, 'define'),
  );
  t.is(definitions.map(codeOf).filter((code) => code === 'ok').length, 3 - inUse(definitions));
  const changes = { contactId: contact.id, name: 'New' };
  const updates = await twins(() => workspace.attempt('contacts.update', changes, 'update'));
  t.is(updates.map(codeOf).filter((code) => code === 'ok').length, 3 - inUse(updates));
  t.deepEqual(await kindsOf(running(), workspace), [
    'CONTACT_CREATED',
    'CONTACT_CREATED',
    'CONTACT_UPDATED',
  ]);
  const again = await workspace.call('contacts.create', input, 'create');
  t.deepEqual(again, creations.find((outcome) => !(outcome instanceof Fault)) as never);
});

const inUse = (outcomes: unknown[]): number =>
  outcomes.map(codeOf).filter((code) => code === 'idempotency_key_in_use').length;

test('simultaneous repetitions of an applied request all get its response, also while another process repeats it', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const requests = [
    ['contacts.create', { email: 'b@example.com' }],
    ['contacts.upsert', { email: 'c@example.com' }],
    ['contacts.update', { contactId: contact.id, name: 'New' }],
    ['contact-properties.create', { name: 'city', label: 'City' }],
  ] as const;
  for (const [name, input] of requests) {
    const send = () => workspace.attempt(name, input, name);
    const first = await send();
    t.is(codeOf(first), 'ok', name);
    t.deepEqual(await Promise.all([send(), send(), send()]), [first, first, first], name);
    const held = await heldKey(t, running(), workspace, name);
    t.deepEqual(await Promise.all([send(), send()]), [first, first], name);
    t.is(
      codeOf(await workspace.attempt(name, { ...input, name: 'Other' }, name)),
      'idempotency_key_reused',
    );
    await held.release();
  }
});

test('a key that another process has locked is in use until the transaction or its connection ends, and delays no other call', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const changes = { contactId: contact.id, name: 'New' };
  const input = { email: 'b@example.com' };
  const attempts = (key: string) =>
    Promise.all([
      workspace.attempt('contacts.create', input, key),
      workspace.attempt('contacts.update', changes, key),
    ]);
  const held = await heldKey(t, running(), workspace, 'key');
  const others = Promise.all([
    workspace.attempt('contacts.create', { email: 'c@example.com' }, 'other'),
    workspace.attempt('contacts.create', { email: 'd@example.com' }),
  ]);
  t.is(inUse(await attempts('key')), 2);
  t.deepEqual((await others).map(codeOf), ['ok', 'ok']);
  await held.release();
  t.is(codeOf(await workspace.attempt('contacts.create', input, 'key')), 'ok');

  const { pid } = await heldKey(t, running(), workspace, 'lost');
  t.is(inUse(await attempts('lost')), 2);
  const end = { name: 'test.end', text: 'select pg_terminate_backend($1)' };
  await running().database.query(end, [pid]);
  await eventually(
    async () => codeOf(await workspace.attempt('contacts.update', changes, 'lost')) === 'ok',
  );
});

test('a key that another process stores meanwhile, under another lock, is not applied again', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const { release } = await storedKeys(t, running(), workspace, ['create', 'update']);
  const outcomes = Promise.all([
    workspace.attempt('contacts.create', { email: 'b@example.com' }, 'create'),
    workspace.attempt('contacts.update', { contactId: contact.id, name: 'New' }, 'update'),
    workspace.attempt('contacts.create', { email: 'c@example.com' }, 'neighbour'),
  ]);
  await release();
  const [creation, update, neighbour] = (await outcomes).map(codeOf);
  const refusals = ['idempotency_key_in_use', 'idempotency_key_reused'];
  t.true(refusals.includes(creation!), creation);
  t.true(refusals.includes(update!), update);
  t.is(neighbour, 'ok');
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_CREATED']);
});

for (const [form, properties] of Object.entries({
  'without properties': {},
  'with a new property': { city: 'Rome' },
}))
  test(`creations of one workspace ${form} are applied, although another process stores the key of one of them meanwhile`, async (t) => {
    const workspace = newWorkspace(running().bus);
    const creations = handlers(serviceOn(await openReplica(t, running())))['contacts.create'];
    const { release } = await storedKeys(t, running(), workspace, ['stored']);
    const answers = creations(
      ['stored', 'new'].map((key) => {
        const input = { email: `${key}@example.com`, name: '', tags: [], properties };
        return { ...callAs(workspace.caller, { idempotencyKey: key }), input };
      }),
    );
    await release();
    t.deepEqual((await answers).map(codeOf), ['idempotency_key_reused', 'ok']);
    t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
  });

test('a creation that was applied by another process after the statement of its repetition has begun is replayed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { database } = running();
  // First: PostgreSQL ends transactions that are idle for ten seconds.
  const replica = await openReplica(t, running());
  const gate = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const holder = database.transaction(async (session) => {
    await session.query({ name: 'test.gate', text: 'select pg_advisory_xact_lock(42)' }, []);
    closed.resolve();
    await gate.promise;
  });
  await closed.promise;
  const query = replica.query.bind(replica);
  // The statement waits after its snapshot, and before it locks the key.
  replica.query = <Row>({ name, text }: Statement, values: readonly unknown[]) =>
    query<Row>(
      {
        name: `waiting.${name}`,
        text: text.replace(
          'case when key is null',
          'case when (select pg_advisory_xact_lock(42)::text) is null or key is null',
        ),
      },
      values,
    );
  const input = { email: 'a@example.com', name: '', tags: [], properties: {} };
  const call = { ...callAs(workspace.caller, { idempotencyKey: 'key' }), input };
  const service = serviceOn(replica);
  // Its IDs follow those of the first process: otherwise it would notice that they were assigned meanwhile.
  service.ids.after('e0000000-0000-7000-8000-000000000000');
  const repeated = handlers(service)['contacts.create']([call]);
  const waits = {
    name: 'test.waits-for-gate',
    text: `select 1 from pg_locks where locktype = 'advisory' and objid = 42 and not granted`,
  };
  await eventually(async () => (await database.query(waits, [])).length > 0);
  const first = await workspace.call('contacts.create', input, 'key');
  gate.resolve();
  await holder;
  const [answer] = (await repeated) as unknown as [Json];
  t.true(answer instanceof Json, codeOf(answer));
  t.deepEqual(JSON.parse(answer.text), first);
  t.true(answer.isReplayed);
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED']);
});

test('of requests with one key to two processes, exactly one is applied, and all others are refused or replayed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const replicas = await Promise.all(
    ['one', 'other'].map(async () => handlers(serviceOn(await openReplica(t, running())))),
  );
  const send = (n: number) =>
    Promise.all(
      replicas.map(async (replica) => {
        const input = { email: `${n}@example.com`, name: '', tags: [], properties: {} };
        const call = { ...callAs(workspace.caller, { idempotencyKey: `key-${n}` }), input };
        return (await replica['contacts.create']([call]))[0]! as Json | Fault;
      }),
    );
  let refused = 0;
  for (let n = 0; n < 100; n += 1) {
    const answers = await send(n);
    const applied = answers.filter((answer) => answer instanceof Json);
    refused += answers.length - applied.length;
    t.is(new Set(applied.map(({ text }) => text)).size, 1);
    t.is(applied.filter(({ isReplayed }) => !isReplayed).length, 1);
    // It may wait for the other one in vain.
    for (const answer of answers)
      if (answer instanceof Fault && !(answer instanceof Contended))
        t.is(answer.code, 'idempotency_key_in_use');
  }
  t.log(`${refused} refused`);
  t.is((await workspace.call('contacts.list', {})).pagination.total, 100);
});
