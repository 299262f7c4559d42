import { uuidOf, type InputOf, type Operations } from '@roster/contracts';
import { callAs, eventually } from '@roster/testing';
import test from 'ava';
import { handlers } from '../handlers.js';
import { codeOf, contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

/** Sends a batch for each input while another transaction has the turn of the workspace. Returns the codes of their answers. */
async function duringATurn(workspace: Workspace, inputs: InputOf<Operations['contacts.update']>[]) {
  const { database, service } = running();
  const update = handlers(service)['contacts.update'];
  const inTurn = database.transaction(async (session) => {
    const [turn] = await session.query<{ pid: number }>(
      {
        name: 'test.turn',
        text: 'select pg_backend_pid() as pid from contacts.watermarks where workspace_id = $1 for update',
      },
      [uuidOf('workspace', workspace.id)],
    );
    const batches = inputs.map((input) => update([{ ...callAs(workspace.caller), input }]));
    const blocked = {
      name: 'test.blocked',
      text: 'select pid from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
    };
    await eventually(async () => (await database.query(blocked, [turn!.pid])).length > 0);
    return { answers: Promise.all(batches), waiting: await database.query(blocked, [turn!.pid]) };
  });
  const { answers, waiting } = await inTurn;
  return { codes: (await answers).flat().map(codeOf), waiting: waiting.length };
}

/** Number of transactions that wrote the contacts of a workspace last. */
async function transactionsOf({ id }: Workspace): Promise<number> {
  const statement = {
    name: 'test.transactions',
    text: 'select count(distinct xmin::text)::int as n from contacts.contacts where workspace_id = $1',
  };
  const [row] = await running().database.query<{ n: number }>(statement, [uuidOf('workspace', id)]);
  return row!.n;
}

test('batches of updates that arrive during a turn of their workspace share the next one', async (t) => {
  const workspace = newWorkspace(running().bus);
  const contactIds: string[] = [];
  for (let n = 0; n < 10; n += 1)
    contactIds.push((await create(workspace, `${n}@example.com`)).contact.id);
  const inputs = contactIds.map((contactId) => ({ contactId, name: 'Changed' }));
  const { codes, waiting } = await duringATurn(workspace, inputs);
  t.deepEqual(
    codes,
    inputs.map(() => 'ok'),
  );
  t.is(waiting, 1);
  // The first one, which began before the others arrived, and all others.
  t.true((await transactionsOf(workspace)) <= 2);
});

test('updates that share a turn are applied in order, and a taken address refuses its update only', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact: first } = await create(workspace, 'first@example.com');
  const { contact: second } = await create(workspace, 'second@example.com');
  const { codes } = await duringATurn(workspace, [
    { contactId: first.id, name: '1' },
    { contactId: second.id, email: 'first@example.com' },
    { contactId: first.id, name: '2', tags: ['a'] },
    { contactId: second.id, name: '3' },
    { contactId: first.id, name: '4' },
  ]);
  t.deepEqual(codes, ['ok', 'conflict', 'ok', 'ok', 'ok']);
  const { contact } = await workspace.call('contacts.get', { contactId: first.id });
  t.like(contact, { name: '4', tags: ['a'], version: 4 });
  const other = await workspace.call('contacts.get', { contactId: second.id });
  t.like(other.contact, { email: 'second@example.com', name: '3', version: 2 });
});
