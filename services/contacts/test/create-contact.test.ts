import { connectBus, Json, LockWait, withLockWait, type Call } from '@roster/bus';
import { Fault, operations, uuidOf } from '@roster/contracts';
import { openLog } from '@roster/process';
import type { Database, Statement } from '@roster/storage';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { createContact } from '../operations/contacts/create-contact.js';
import {
  newWorkspace,
  runContacts,
  type RunningContacts,
  type Workspace,
} from './running-contacts.js';

async function contactsFor(
  t: ExecutionContext,
  options?: { poolMax: number },
): Promise<RunningContacts> {
  // Batches hold locks here for as long as the tests need.
  const running = await runContacts({ ...options, batchLockMs: 60_000 });
  t.teardown(() => running.stop());
  return running;
}

const input = (n: number) => ({ email: `c${n}@example.com` });

/**
 * Creations of which the first waits for the lock of the workspace, as while another process creates a contact in it, and the
 * others wait for the first: they are written together.
 */
async function heldUp(
  { database, batches, statements }: RunningContacts,
  workspace: Workspace,
  emails: readonly string[],
) {
  await workspace.call('contacts.create', input(0));
  const gate = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lock = {
    name: 'test.lock',
    text: 'select 1 from contacts.watermarks where workspace_id = $1 for update',
  };
  const held = database.transaction(async (session) => {
    await session.query(lock, [uuidOf('workspace', workspace.id)]);
    locked.resolve();
    await gate.promise;
  });
  await locked.promise;
  const arrived = () => batches.filter(({ operation }) => operation === 'contacts.create').length;
  const skipped = () => statements.filter((name) => name === 'contacts.create').length;
  const creations: ReturnType<typeof workspace.attempt<'contacts.create'>>[] = [];
  // One by one, so that each is a separate batch.
  for (const email of emails) {
    const before = { arrived: arrived(), skipped: skipped() };
    creations.push(workspace.attempt('contacts.create', { email }));
    await eventually(() => arrived() > before.arrived);
    // Each waits after a statement that skipped the workspace.
    await eventually(() => skipped() > before.skipped);
  }
  return {
    release: async () => {
      gate.resolve();
      await held;
      const outcomes = await Promise.all(creations);
      return outcomes.map((outcome) =>
        'contact' in outcome ? outcome.contact.email : outcome.code,
      );
    },
  };
}

const emails = [1, 2, 3, 4].map((n) => input(n).email);

test('creations that arrive while another waits are written together, and each gets its own answer', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const { release } = await heldUp(running, workspace, emails);
  const written = () =>
    running.statements.filter((name) => name === 'contacts.create-in-turn').length;
  const before = written();
  t.deepEqual(await release(), emails);
  // The first one, and the others together, except those that had not begun to wait.
  t.true(written() - before < emails.length, `${written() - before} statements`);
});

test('creations that wait for a locked workspace do not delay those of other workspaces, with or without an Idempotency-Key', async (t) => {
  const running = await contactsFor(t);
  const locked = newWorkspace(running.bus);
  const { release } = await heldUp(running, locked, emails);
  const keyed = locked.call('contacts.create', input(5), 'key');
  // Through a separate connection: calls of one batch wait for one another.
  const log = openLog('caller', 'silent');
  const bus = await connectBus({ servers: running.natsUrl, name: 'caller', log });
  t.teardown(() => bus.close());
  const other = newWorkspace(bus);
  for (let n = 0; n < 3; n += 1) {
    await other.call('contacts.create', input(2 * n));
    await other.call('contacts.create', input(2 * n + 1), `key-${n}`);
  }
  t.deepEqual(await release(), emails);
  t.is((await keyed).contact.email, input(5).email);
});

test('creations whose commit has an unknown outcome are not repeated, and answer timeout', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const { release } = await heldUp(running, workspace, emails);
  const sent = afterStatement(running.database, 'contacts.create-in-turn', (values) => {
    // The statement is committed, and the connection is lost before the response arrives.
    if (String(values[0]).includes(',')) throw new Fault('timeout', 'It may have happened.');
  });
  t.deepEqual(await release(), [emails[0], 'timeout', 'timeout', 'timeout']);
  t.is(sent(), 1, 'not repeated');
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(contacts.map(({ email }) => email).toSorted(), [input(0).email, ...emails]);
});

test('a committed creation is answered with its contact, even if other calls of its batch fail', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const { release } = await heldUp(running, workspace, [...emails, input(0).email]);
  afterStatement(running.database, 'contacts.find-by-email', () => {
    throw new Error('broken');
  });
  t.deepEqual(await release(), [...emails, 'internal']);
});

const callsOf = ({ caller }: Workspace, inputs: readonly object[]) =>
  inputs.map((one) => {
    const given = operations['contacts.create'].input.parse(one);
    return { caller, input: given } as Call<typeof given>;
  });

test('creations that wait for a locked workspace reach the lock timeout together, not one after another', async (t) => {
  const running = await contactsFor(t);
  const workspace = newWorkspace(running.bus);
  const { release } = await heldUp(running, workspace, []);
  const { service, database } = running;
  const waited = beforeStatement(database, 'contacts.create-in-turn', () => undefined);
  const handle = createContact(service);
  const calls = callsOf(workspace, [1, 2, 3, 4, 5].map(input));
  const answers = await withLockWait(new LockWait(50), () => handle(calls, database));
  t.is(waited(), 1);
  for (const answer of answers) t.like(answer, { code: 'unavailable' });
  await release();
});

test('a contact that is too large does not fail the other calls of a batch that is divided', async (t) => {
  const { service, database, bus } = await contactsFor(t);
  const workspace = newWorkspace(bus);
  beforeStatement(database, 'contacts.create', (values) => {
    if (String(values[0]).includes(',')) throw new Error('one of them is broken');
  });
  // Within the limit only without the other fields.
  const properties = { a: 'x'.repeat(4000), b: 'x'.repeat(4000), c: 'x'.repeat(1970) };
  const calls = callsOf(workspace, [{ ...input(1), properties }, input(2), input(3)]);
  const [large, ...others] = await createContact(service)(calls, database);
  t.like(large, { code: 'invalid' });
  for (const other of others) t.true(other instanceof Json);
});

/** Calls `then` before each execution of a statement outside of transactions. Returns a function that counts them. */
function beforeStatement(
  database: Database,
  name: string,
  then: (values: readonly unknown[]) => void,
): () => number {
  const query = database.query.bind(database);
  let count = 0;
  database.query = async <Row>(statement: Statement, values: readonly unknown[]) => {
    if (statement.name === name) {
      count += 1;
      then(values);
    }
    return query<Row>(statement, values);
  };
  return () => count;
}

/** Calls `then` after each execution of a statement outside of transactions. Returns a function that counts them. */
function afterStatement(
  database: Database,
  name: string,
  then: (values: readonly unknown[]) => void,
): () => number {
  const query = database.query.bind(database);
  let count = 0;
  database.query = async <Row>(statement: Statement, values: readonly unknown[]) => {
    const rows = await query<Row>(statement, values);
    if (statement.name === name) {
      count += 1;
      then(values);
    }
    return rows;
  };
  return () => count;
}

test('creations with and without an Idempotency-Key do not deadlock on the pool, however small it is', async (t) => {
  const running = await contactsFor(t, { poolMax: 2 });
  const log = openLog('caller', 'silent');
  const callers = await Promise.all(
    Array.from({ length: 8 }, () => connectBus({ servers: running.natsUrl, name: 'caller', log })),
  );
  t.teardown(() => Promise.all(callers.map((bus) => bus.close())));
  const outcomes = await Promise.all(
    callers.map(async (bus, caller) => {
      const workspace = newWorkspace(bus);
      const codes: unknown[] = [];
      for (let n = 0; n < 20; n += 1) {
        const key = caller % 2 === 0 ? `key-${n}` : undefined;
        const outcome = await workspace.attempt('contacts.create', input(n), key);
        codes.push('contact' in outcome ? 'ok' : outcome.code);
      }
      return codes;
    }),
  );
  t.deepEqual(new Set(outcomes.flat()), new Set(['ok']));
});
