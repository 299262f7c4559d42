import { Fault, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import {
  codeOf,
  create,
  newWorkspace,
  runContacts,
  type RunningContacts,
  type Workspace,
} from './running-contacts.js';

async function contactsFor(t: ExecutionContext): Promise<RunningContacts> {
  const running = await runContacts({ poolMax: 12 });
  t.teardown(() => running.stop());
  return running;
}

/** Rows of a workspace that are locked, as by a process that was paused in a transaction. */
const rowsOf = {
  'a contact': 'select 1 from contacts.contacts where workspace_id = $1 for update',
  // All slots, whether or not they have a row.
  counters: `
    insert into contacts.counters (workspace_id, slot, total) select $1, slot, 0 from generate_series(0, 15) slot
    on conflict (workspace_id, slot) do update set total = counters.total`,
  watermark: 'select 1 from contacts.watermarks where workspace_id = $1 for update',
};

/** Locks rows until the returned function is called. */
async function lock(
  t: ExecutionContext,
  { database }: RunningContacts,
  workspace: Workspace,
  rows: keyof typeof rowsOf,
): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held = database.transaction(async (session) => {
    await session.em.execute('set local idle_in_transaction_session_timeout = 0');
    await session.query({ name: `test.lock-${rows}`, text: rowsOf[rows] }, [
      uuidOf('workspace', workspace.id),
    ]);
    locked.resolve();
    await gate.promise;
  });
  await locked.promise;
  t.teardown(() => gate.resolve());
  return async () => {
    gate.resolve();
    await held;
  };
}

/** Calls in their order, a new one as soon as one is answered; writes down the answers' codes until it is stopped. */
function client(call: (n: number) => Promise<unknown>) {
  const codes: string[] = [];
  const stopped = new AbortController();
  const done = (async () => {
    for (let n = 0; !stopped.signal.aborted; n += 1)
      codes.push(codeOf(await call(n).catch((error: unknown) => error as Fault)));
  })();
  return {
    codes,
    stop: () => {
      stopped.abort();
      return done;
    },
  };
}

const scenarios = [
  { rows: 'a contact', operation: 'contacts.update' },
  { rows: 'counters', operation: 'contacts.create' },
  { rows: 'watermark', operation: 'contacts.create' },
  { rows: 'counters', operation: 'contacts.delete' },
] as const;

for (const { rows, operation } of scenarios)
  test(`${operation} in a workspace of which ${rows} is locked holds up no other workspace`, async (t) => {
    const running = await contactsFor(t);
    const [locked, other] = [newWorkspace(running.bus, 60_000), newWorkspace(running.bus, 60_000)];
    let created = 0;
    const calls = {
      'contacts.create': (workspace: Workspace) => () =>
        create(workspace, `${(created += 1)}@example.com`),
      'contacts.update': (workspace: Workspace, contactId: string) => (n: number) =>
        workspace.call('contacts.update', { contactId, name: `${n}` }),
      'contacts.delete': (workspace: Workspace, contactId: string) => (n: number) =>
        n === 0
          ? workspace.call('contacts.delete', { contactId })
          : create(workspace, `${(created += 1)}@example.com`).then(({ contact }) =>
              workspace.call('contacts.delete', { contactId: contact.id }),
            ),
    };
    const start = async (workspace: Workspace) => {
      const contacts: { id: string }[] = [];
      for (let n = 0; n < 10; n += 1)
        contacts.push((await create(workspace, `${(created += 1)}@example.com`)).contact);
      return () => contacts.map(({ id }) => client(calls[operation](workspace, id)));
    };
    const [startLocked, startOther] = [await start(locked), await start(other)];
    const release = await lock(t, running, locked, rows);
    // Those of both workspaces travel together from now on.
    const [stuck, served] = [startLocked(), startOther()];
    t.teardown(() => Promise.all([...stuck, ...served].map(({ stop }) => stop())));
    await eventually(() => served.every(({ codes }) => codes.length >= 20), { timeoutMs: 30_000 });
    t.deepEqual(
      stuck.flatMap(({ codes }) => codes),
      [],
      'none of the calls to the locked workspace is answered yet',
    );
    await release();
    // None of them was refused: they waited.
    await eventually(() => stuck.every(({ codes }) => codes.length > 0));
    const clients = [...stuck, ...served];
    await Promise.all(clients.map(({ stop }) => stop()));
    t.deepEqual(new Set(clients.flatMap(({ codes }) => codes)), new Set(['ok']));
  });
