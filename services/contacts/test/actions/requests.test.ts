import test from 'ava';
import { codeOf, contactsFor, newWorkspace } from '../running-contacts.js';
import { actionOf, start } from './running-actions.js';

/** Without a runner: no action begins. */
const running = contactsFor(test);

test('a workspace has at most four actions that have not ended, and other workspaces theirs', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const input = { filter: {}, change: { addTags: ['a'] } };
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => workspace.attempt('contact-actions.create', input)),
  );
  t.deepEqual(outcomes.map(codeOf).toSorted(), [
    ...['limit_reached', 'limit_reached'],
    ...['ok', 'ok', 'ok', 'ok'],
  ]);
  t.is(codeOf(await other.attempt('contact-actions.create', input)), 'ok');
});

test('a repeated creation with the same key is one action', async (t) => {
  const workspace = newWorkspace(running().bus);
  const input = { filter: {}, change: { addTags: ['a'] } };
  const [{ action }, again] = [
    await workspace.call('contact-actions.create', input, 'key'),
    await workspace.call('contact-actions.create', input, 'key'),
  ];
  t.deepEqual(again.action, action);
  const { actions } = await workspace.call('contact-actions.list', {});
  t.is(actions.length, 1);
});

test('actions belong to their workspace, and are listed newest first', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const ids: string[] = [];
  for (const tag of ['a', 'b', 'c'])
    ids.push((await start(workspace, { filter: {}, change: { addTags: [tag] } })).id);
  const list = (after?: string) =>
    workspace.call('contact-actions.list', { limit: 2, ...(after !== undefined && { after }) });
  const first = await list();
  const last = await list(first.pagination.next!);
  t.deepEqual(
    [...first.actions, ...last.actions].map(({ id }) => id),
    ids.toReversed(),
  );
  t.is(last.pagination.next, null);
  t.deepEqual((await other.call('contact-actions.list', {})).actions, []);
  const [actionId] = ids as [string];
  t.is(codeOf(await other.attempt('contact-actions.get', { actionId })), 'not_found');
  t.is(codeOf(await other.attempt('contact-actions.cancel', { actionId })), 'not_found');
  t.is((await actionOf(workspace, actionId)).status, 'queued');
});

test('creating and cancelling an action have one entry of the audit log each, without values of filters', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { id: actionId } = await start(workspace, {
    filter: { email: 'ada@example.com' },
    change: { delete: true },
    dryRun: true,
  });
  for (let n = 0; n < 2; n += 1) await workspace.call('contact-actions.cancel', { actionId });
  const { entries } = await workspace.call('contacts.audit-entries', {
    workspaceId: workspace.id,
    limit: 10,
  });
  t.like(entries, {
    length: 2,
    0: { action: 'contact_action.cancelled', resourceId: actionId },
    1: {
      action: 'contact_action.created',
      resourceId: actionId,
      after: { filter: ['email'], change: ['delete'], dryRun: true },
    },
  });
});
