import { EventEraser } from '@roster/bus';
import { eventually } from '@roster/testing';
import test from 'ava';
import { contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

const deletePortion = (workspace: Workspace, id = workspace.caller.workspaceId) =>
  workspace.call('contacts.delete-workspace', { workspaceId: id });

test('deletes all rows of a workspace in bounded portions, then its messages, and nothing of another', async (t) => {
  const { bus } = running();
  const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
  const emails = Array.from({ length: 600 }, (_, n) => `c${n}@example.com`);
  for (let at = 0; at < emails.length; at += 200)
    await workspace.call('contacts.batch', {
      operations: emails.slice(at, at + 200).map((email) => ({
        action: 'create' as const,
        email,
        tags: ['a'],
        properties: { b: 'c' },
      })),
    });
  await create(other, 'other@example.com');
  const events = new EventEraser(bus.link);
  const firstMessage = (of: Workspace) => events.next(of.caller.workspaceId, 0);
  await eventually(async () => (await firstMessage(workspace)) && (await firstMessage(other)));
  let deleted = 0;
  for (;;) {
    const portion = await deletePortion(workspace);
    t.true(portion.deleted <= 500);
    deleted += portion.deleted;
    if (portion.isDone) break;
    // Rows first: no message is published again afterwards.
  }
  t.true(deleted > emails.length);
  t.is(await firstMessage(workspace), undefined);
  t.is((await workspace.call('contacts.list', { limit: 1 })).contacts.length, 0);
  t.deepEqual(await deletePortion(workspace), { deleted: 0, isDone: true });
  t.is((await other.call('contacts.list', { limit: 1 })).contacts.length, 1);
  t.truthy(await firstMessage(other));
});

test('what is written late is deleted by another pass', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'first@example.com');
  while (!(await deletePortion(workspace)).isDone);
  await create(workspace, 'late@example.com');
  t.false((await deletePortion(workspace)).isDone);
  while (!(await deletePortion(workspace)).isDone);
  t.is((await workspace.call('contacts.list', { limit: 1 })).contacts.length, 0);
});
