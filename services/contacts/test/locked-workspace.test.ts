import { uuidOf } from '@roster/contracts';
import { checkLockIsolation } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import {
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

const scenarios = [
  { rows: 'a contact', operation: 'contacts.update' },
  { rows: 'counters', operation: 'contacts.create' },
  { rows: 'watermark', operation: 'contacts.create' },
  { rows: 'watermark', operation: 'contacts.update' },
  { rows: 'watermark', operation: 'contacts.delete' },
  { rows: 'counters', operation: 'contacts.delete' },
] as const;

for (const { rows, operation } of scenarios)
  test(`${operation} in a workspace of which ${rows} is locked delays no other workspace`, async (t) => {
    const running = await contactsFor(t);
    const [locked, other] = [newWorkspace(running.bus), newWorkspace(running.bus)];
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
      return contacts.map(({ id }) => calls[operation](workspace, id));
    };
    await checkLockIsolation(t, {
      databaseUrl: running.databaseUrl,
      blocked: await start(locked),
      others: await start(other),
      lock: { text: rowsOf[rows], values: [uuidOf('workspace', locked.id)] },
    });
  });
