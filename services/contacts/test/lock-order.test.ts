import { Fault, uuidOf } from '@roster/contracts';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { handlers } from '../handlers.js';
import { openReplica } from './other-processes.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

const locks = {
  definitions: `select pg_advisory_xact_lock(hashtextextended('roster:contact-properties:' || $1::uuid, 0)), pg_backend_pid() as pid`,
  watermark:
    'select pg_backend_pid() as pid from contacts.watermarks where workspace_id = $1 for update',
};

/** Holds a lock of a workspace until it is released. */
async function held(workspace: Workspace, lock: keyof typeof locks) {
  const { database } = running();
  const gate = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<number>();
  const transaction = database.transaction(async (session) => {
    const statement = { name: `test.${lock}`, text: locks[lock] };
    const [row] = await session.query<{ pid: number }>(statement, [
      uuidOf('workspace', workspace.id),
    ]);
    locked.resolve(row!.pid);
    await gate.promise;
  });
  const pid = await locked.promise;
  const waiting = {
    name: 'test.waiting',
    text: `with recursive waiting as (
        select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))
        union
        select a.pid from pg_stat_activity a, waiting w where w.pid = any (pg_blocking_pids(a.pid))
      ) select pid from waiting`,
  };
  return {
    waiters: (count: number) =>
      eventually(async () => (await database.query(waiting, [pid])).length === count),
    async release() {
      gate.resolve();
      await transaction;
    },
  };
}

const input = (email: string, properties = {}) => ({ email, name: 'New', tags: [], properties });

interface Writers {
  /** The lock that both wait for, in this order. */
  lock: keyof typeof locks;
  other: (
    replica: ReturnType<typeof handlers>,
    workspace: Workspace,
    ids: string[],
  ) => Promise<unknown[]>;
  keyed: (
    replica: ReturnType<typeof handlers>,
    workspace: Workspace,
    ids: string[],
  ) => Promise<unknown[]>;
}

const keyedCalls = <Input>(workspace: Workspace, inputs: Input[]) =>
  inputs.map((one, n) => ({
    ...callAs(workspace.caller, { idempotencyKey: `key-${n}`, timeoutMs: 60_000 }),
    input: one,
  }));

const batch: Writers['other'] = (replica, workspace) =>
  replica['contacts.batch']([
    {
      ...callAs(workspace.caller, { timeoutMs: 60_000 }),
      input: {
        operations: [
          { action: 'create', email: 'batch@example.com' },
          { action: 'upsert', email: 'a@example.com', name: 'Batch' },
        ],
      },
    },
  ]);

const updateWithNewProperty: Writers['other'] = (replica, workspace, [contactId]) =>
  replica['contacts.update']([
    {
      ...callAs(workspace.caller, { timeoutMs: 60_000 }),
      input: { contactId: contactId!, properties: { other: 'x' } },
    },
  ]);

const cases: Record<string, Writers> = {
  'upserts of an existing and of a new contact, and a batch': {
    lock: 'watermark',
    other: batch,
    keyed: (replica, workspace) =>
      replica['contacts.upsert'](
        keyedCalls(workspace, [input('a@example.com'), input('new@example.com')]),
      ),
  },
  'upserts without and with a new property, and an update': {
    lock: 'definitions',
    other: updateWithNewProperty,
    keyed: (replica, workspace) =>
      replica['contacts.upsert'](
        keyedCalls(workspace, [input('a@example.com'), input('b@example.com', { city: 'Rome' })]),
      ),
  },
  'updates without and with a new property, and another update': {
    lock: 'definitions',
    other: updateWithNewProperty,
    keyed: (replica, workspace, [a, b]) =>
      replica['contacts.update'](
        keyedCalls(workspace, [
          { contactId: a!, name: 'New' },
          { contactId: b!, properties: { city: 'Rome' } },
        ]),
      ),
  },
};

for (const [title, { lock, other, keyed }] of Object.entries(cases))
  test(`writes with keys in one transaction do not deadlock with a write that takes the same locks: ${title}`, async (t) => {
    const workspace = newWorkspace(running().bus);
    const [one, two] = [await openReplica(t, running()), await openReplica(t, running())];
    const ids = [];
    for (const email of ['a@example.com', 'b@example.com'])
      ids.push((await create(workspace, email)).contact.id);
    const gate = await held(workspace, lock);
    t.teardown(gate.release);
    const first = other(handlers(serviceOn(one)), workspace, ids);
    await gate.waiters(1);
    const second = keyed(handlers(serviceOn(two)), workspace, ids);
    await gate.waiters(2);
    await gate.release();
    // After a deadlock, one of them throws or is refused as contended.
    const answers = (await Promise.all([first, second])).flat();
    t.deepEqual(answers.filter((answer) => answer instanceof Fault).map(codeOf), []);
  });
