import { tagsMax } from '@roster/contracts';
import test from 'ava';
import { codeOf, contactsFor, newWorkspace } from '../running-contacts.js';
import { announced, contactsOf, ended, fill, startRunner } from './running-actions.js';

const running = contactsFor(test);

const tagsOf = async (workspace: Parameters<typeof contactsOf>[0]) =>
  (await contactsOf(workspace)).map(({ tags }) => tags);

test('renaming a tag changes each contact that has it, with one event, and merges it into a tag of that name', async (t) => {
  startRunner(t, running().service);
  const workspace = newWorkspace(running().bus);
  const given = [['old'], ['old', 'new'], ['new'], ['Old'], ['a', 'old', 'b']];
  const emails = await fill(workspace, given.length, (n) => ({ tags: given[n] }));
  const { action } = await workspace.call('tags.rename', { tag: 'old', name: 'new' });
  t.like(action, {
    status: 'queued',
    filter: { tag: ['is:old'] },
    change: { removeTags: ['old'], addTags: ['new'] },
    dryRun: false,
  });
  t.like(await ended(workspace, action.id), { status: 'completed', matched: 3, changed: 3 });
  t.deepEqual(await tagsOf(workspace), [['new'], ['new'], ['new'], ['Old'], ['a', 'b', 'new']]);
  t.deepEqual(await announced(running(), workspace, 'CONTACT_UPDATED'), [
    ...[emails[0], emails[1], emails[4]],
  ]);
  const { tags } = await workspace.call('tags.list', { prefix: 'o' });
  t.deepEqual(tags, []);
});

test('a contact with as many tags as it can have keeps as many after a tag is renamed', async (t) => {
  startRunner(t, running().service);
  const workspace = newWorkspace(running().bus);
  const tags = Array.from({ length: tagsMax }, (_, n) => `t${n}`);
  await fill(workspace, 1, () => ({ tags }));
  const { action } = await workspace.call('tags.rename', { tag: 't0', name: 'new' });
  t.like(await ended(workspace, action.id), { changed: 1, failed: 0 });
  t.deepEqual(await tagsOf(workspace), [[...tags.slice(1), 'new']]);
});

test('deletes exactly the tag that is named, whatever a filter would read in it', async (t) => {
  startRunner(t, running().service);
  const workspace = newWorkspace(running().bus);
  const names = [
    'exists',
    'is:a',
    'any:a,b',
    'a,b',
    'a',
    'b',
    'a/b',
    '"a',
    'Ж',
    '..',
    '%2F',
    'not:a',
  ];
  await fill(workspace, 1, () => ({ tags: names }));
  for (let left = names; left.length > 0; left = left.slice(1)) {
    const { action } = await workspace.call('tags.delete', { tag: left[0]! });
    t.like(await ended(workspace, action.id), { status: 'completed', changed: 1 }, left[0]);
    t.deepEqual(await tagsOf(workspace), [left.slice(1)]);
  }
});

test('a dry run counts the contacts with a tag, and changes none', async (t) => {
  startRunner(t, running().service);
  const workspace = newWorkspace(running().bus);
  await fill(workspace, 2, () => ({ tags: ['a'] }));
  const { action } = await workspace.call('tags.delete', { tag: 'a', dryRun: true });
  t.like(await ended(workspace, action.id), { dryRun: true, changed: 2 });
  t.deepEqual(await tagsOf(workspace), [['a'], ['a']]);
});

test('a tag that no contact of the workspace has is unknown, also if other workspaces have it', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  await fill(other, 1, () => ({ tags: ['theirs'] }));
  await fill(workspace, 1, () => ({ tags: ['mine'] }));
  for (const tag of ['theirs', 'Mine']) {
    t.is(codeOf(await workspace.attempt('tags.rename', { tag, name: 'new' })), 'not_found');
    t.is(codeOf(await workspace.attempt('tags.delete', { tag })), 'not_found');
  }
  t.deepEqual((await workspace.call('contact-actions.list', {})).actions, []);
});

test('a repeated request with the same key is one action, also when the tag is gone', async (t) => {
  startRunner(t, running().service);
  const workspace = newWorkspace(running().bus);
  await fill(workspace, 1, () => ({ tags: ['a'] }));
  const { action } = await workspace.call('tags.delete', { tag: 'a' }, 'key');
  await ended(workspace, action.id);
  t.deepEqual((await workspace.call('tags.delete', { tag: 'a' }, 'key')).action, action);
  t.is((await workspace.call('contact-actions.list', {})).actions.length, 1);
});
