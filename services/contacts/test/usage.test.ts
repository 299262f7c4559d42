import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { countContacts } from '../operations/usage.js';
import { contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);
const dayMs = 86_400_000;
const dayAt = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);

const usageOf = async (workspace: Workspace, from = dayAt(9), to = dayAt(0)) => {
  const { workspaceId } = workspace.caller;
  return (await workspace.call('contacts.usage', { workspaceId, from, to })).days;
};

/** Moves what was counted today to another day. */
const moveTo = (workspace: Workspace, daysAgo: number) =>
  running().database.query(
    {
      name: 'test.move',
      text: 'update contacts.usage_days set day = $2 where workspace_id = $1 and day = $3',
    },
    [uuidOf('workspace', workspace.caller.workspaceId), dayAt(daysAgo), dayAt(0)],
  );

test.serial(
  'a day has the contacts that were last counted on it, and today those that there are',
  async (t) => {
    const { bus, database } = running();
    const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
    await create(other, 'other@example.com');
    await create(workspace, 'a@example.com');
    await countContacts(database);
    await create(workspace, 'b@example.com');
    await countContacts(database);
    await countContacts(database);
    await moveTo(workspace, 2);
    await create(workspace, 'c@example.com');
    const days = await usageOf(workspace);
    t.deepEqual(
      days.toSorted((a, b) => a.day.localeCompare(b.day)),
      [
        { day: dayAt(2), contacts: 2 },
        { day: dayAt(0), contacts: 3 },
      ],
    );
    t.deepEqual(await usageOf(workspace, dayAt(1), dayAt(1)), []);
    t.deepEqual(await usageOf(other), [{ day: dayAt(0), contacts: 1 }]);
    t.deepEqual(await usageOf(newWorkspace(bus)), [{ day: dayAt(0), contacts: 0 }]);
  },
);

test.serial('several processes count at the same time, and keep 400 days', async (t) => {
  const { bus, database } = running();
  const workspace = newWorkspace(bus);
  await create(workspace, 'a@example.com');
  await Promise.all(Array.from({ length: 4 }, () => countContacts(database)));
  await moveTo(workspace, 402);
  t.is((await usageOf(workspace, dayAt(410))).length, 2);
  await countContacts(database);
  t.is((await usageOf(workspace, dayAt(410))).length, 1);
});
