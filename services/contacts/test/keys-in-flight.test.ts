import { Contended, Json } from '@roster/bus';
import { Fault, uuidOf } from '@roster/contracts';
import { openLog } from '@roster/service';
import { lockKey, openDatabase } from '@roster/service/storage';
import { callAs, eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

const lock = {
  name: 'test.lock-key',
  text: `select pg_backend_pid() as pid, ${lockKey(schema, 'i')} as locked
    from unnest(array[$1::uuid], array[$2::text]) as i (workspace_id, key)`,
};

/** Holds the lock of a key, as a process that handles a call with it. */
async function heldKey(t: ExecutionContext, workspace: Workspace, key: string) {
  const gate = Promise.withResolvers<void>();
  const held = Promise.withResolvers<number>();
  const transaction = running()
    .database.transaction(async (session) => {
      const values = [uuidOf('workspace', workspace.id), key];
      const [row] = await session.query<{ pid: number; locked: boolean }>(lock, values);
      t.true(row!.locked);
      held.resolve(row!.pid);
      await gate.promise;
    })
    .catch(() => undefined);
  const pid = await held.promise;
  const release = async () => {
    gate.resolve();
    await transaction;
  };
  t.teardown(release);
  return { pid, release };
}

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
  const held = await heldKey(t, workspace, 'key');
  const others = Promise.all([
    workspace.attempt('contacts.create', { email: 'c@example.com' }, 'other'),
    workspace.attempt('contacts.create', { email: 'd@example.com' }),
  ]);
  t.is(inUse(await attempts('key')), 2);
  t.deepEqual((await others).map(codeOf), ['ok', 'ok']);
  await held.release();
  t.is(codeOf(await workspace.attempt('contacts.create', input, 'key')), 'ok');

  const { pid } = await heldKey(t, workspace, 'lost');
  t.is(inUse(await attempts('lost')), 2);
  const end = { name: 'test.end', text: 'select pg_terminate_backend($1)' };
  await running().database.query(end, [pid]);
  await eventually(
    async () => codeOf(await workspace.attempt('contacts.update', changes, 'lost')) === 'ok',
  );
});

test('a key that the previous release stores meanwhile, without a lock, is not applied again', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com');
  const { database } = running();
  const store = {
    name: 'test.store',
    text: `insert into contacts.idempotency_keys (workspace_id, key, operation, input_sha256, answer)
      select $1, key, 'contacts.any', '', '{}' from unnest($2::text[]) as i (key)`,
  };
  const gate = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const transaction = database.transaction(async (session) => {
    await session.query(store, [uuidOf('workspace', workspace.id), ['create', 'update']]);
    stored.resolve();
    await gate.promise;
  });
  await stored.promise;
  const outcomes = Promise.all([
    workspace.attempt('contacts.create', { email: 'b@example.com' }, 'create'),
    workspace.attempt('contacts.update', { contactId: contact.id, name: 'New' }, 'update'),
    workspace.attempt('contacts.create', { email: 'c@example.com' }, 'neighbour'),
  ]);
  const waits = {
    name: 'test.waits',
    text: `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`,
  };
  await eventually(async () => (await database.query(waits, [])).length > 0);
  gate.resolve();
  await transaction;
  const [creation, update, neighbour] = (await outcomes).map(codeOf);
  const refusals = ['idempotency_key_in_use', 'idempotency_key_reused'];
  t.true(refusals.includes(creation!), creation);
  t.true(refusals.includes(update!), update);
  t.is(neighbour, 'ok');
  t.deepEqual(await kindsOf(running(), workspace), ['CONTACT_CREATED', 'CONTACT_CREATED']);
});

test('of requests with one key to two processes, exactly one is applied, and all others are refused or replayed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const replicas = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const database = await openDatabase({
        url: running().databaseUrl,
        schema,
        poolMax: 5,
        entities,
        migrations,
        log: openLog(name, 'silent'),
      });
      t.teardown(() => database.close());
      return handlers(serviceOn(database));
    }),
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
    // The client sends a call again that is answered `Contended`.
    for (const answer of answers)
      if (answer instanceof Fault && !(answer instanceof Contended))
        t.is(answer.code, 'idempotency_key_in_use');
  }
  t.log(`${refused} refused`);
  t.is((await workspace.call('contacts.list', {})).pagination.total, 100);
});
