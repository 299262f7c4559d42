import type { Answer, Call } from '@roster/bus';
import { Fault, operations, tagsMax } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { callAs } from '@roster/testing';
import test from 'ava';
import { handlers } from '../handlers.js';
import {
  codeOf,
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';
import { ended, startRunner, upload } from './imports/running-imports.js';
import { serviceOn } from './service-on.js';

const running = contactsFor(test);

const contactOf = async (workspace: Workspace, contactId: string) =>
  (await workspace.call('contacts.get', { contactId })).contact;
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

test('tags are added after the others and removed, and what changes nothing changes no version', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'a@example.com', { tags: ['x', 'y', 'z'] });
  const { id: contactId } = contact;
  const changed = await workspace.call('contacts.update', {
    ...{ contactId, addTags: ['b', 'x', 'a', 'b'], removeTags: ['y', 'unknown'] },
  });
  t.deepEqual(changed.contact.tags, ['x', 'z', 'b', 'a']);
  t.is(changed.contact.version, 2);
  const [, event] = await eventsOf(running(), workspace);
  t.like(JSON.parse(event!.details!), { previous: { tags: ['x', 'y', 'z'] } });
  const same = { contactId, addTags: ['a', 'z'], removeTags: ['y'] };
  t.deepEqual(await workspace.call('contacts.update', same), changed);
  t.deepEqual(
    await workspace.call('contacts.update', { contactId, addTags: [], removeTags: [] }),
    changed,
  );
  await workspace.call('contacts.update', { ...same, name: 'A' });
  const events = await eventsOf(running(), workspace);
  t.is(events.length, 3);
  t.deepEqual(Object.keys((JSON.parse(events[2]!.details!) as { previous: object }).previous), [
    'name',
  ]);
});

test('tags together with single ones, and one tag in both lists, are refused', (t) => {
  const { input } = operations['contacts.upsert'];
  const pointersOf = (fields: object) =>
    input
      .safeParse({ email: 'a@example.com', ...fields })
      .error?.issues.map(({ path }) => path.join('/'));
  t.deepEqual(pointersOf({ tags: [], addTags: ['a'] }), ['addTags']);
  t.deepEqual(pointersOf({ tags: ['a'], addTags: ['a'], removeTags: ['b'] }), [
    'addTags',
    'removeTags',
  ]);
  t.deepEqual(pointersOf({ addTags: ['a', 'b'], removeTags: ['b'] }), ['removeTags']);
  t.is(pointersOf({ addTags: ['a'], removeTags: ['A'] }), undefined);
});

test('a contact has at most as many tags after a change as when it is created', async (t) => {
  const workspace = newWorkspace(running().bus);
  const tags = numbered(tagsMax - 1, 't');
  const { contact } = await create(workspace, 'a@example.com', { tags });
  const { id: contactId } = contact;
  const refused = await workspace.attempt('contacts.update', {
    ...{ contactId, name: 'A', addTags: ['a', 'b'] },
  });
  t.true(refused instanceof Fault);
  t.like(refused, {
    code: 'invalid',
    details: {
      errors: [
        {
          pointer: '/addTags',
          message: 'must be fewer: the contact would have 101 tags, more than 100',
        },
      ],
    },
  });
  t.deepEqual(await contactOf(workspace, contactId), contact);
  const exchanged = await workspace.call('contacts.update', {
    ...{ contactId, addTags: ['a', 'b'], removeTags: ['t0'] },
  });
  t.deepEqual(exchanged.contact.tags, [...tags.slice(1), 'a', 'b']);
  const { results } = await workspace.call('contacts.batch', {
    operations: [
      { action: 'update', id: contactId, addTags: ['c'] },
      { action: 'update', id: contactId, addTags: ['c'], removeTags: ['a'] },
    ],
  });
  t.deepEqual(
    results.map(({ status }) => status),
    [422, 200],
  );
  // Characters of four bytes.
  const large = numbered(90, '\u{1F600}'.repeat(60));
  const tooLarge = await workspace.attempt('contacts.upsert', {
    ...{ email: 'b@example.com', addTags: large },
  });
  t.is(codeOf(tooLarge), 'invalid');
  const { contact: other } = await create(workspace, 'c@example.com');
  const grown = await workspace.attempt('contacts.update', {
    ...{ contactId: other.id, addTags: large },
  });
  t.like(grown, { details: { errors: [{ pointer: '/addTags' }] } });
});

test('64 clients of three processes that change different tags of a contact lose none', async (t) => {
  const workspace = newWorkspace(running().bus);
  const processes = Array.from({ length: 3 }, () =>
    handlers({ ...serviceOn(running().database), ids: new IdClock() }),
  );
  const tags = numbered(32, 'old');
  const { contact } = await create(workspace, 'a@example.com', { tags });
  const clients = Array.from({ length: 64 }, async (_, n) => {
    const update = processes[n % 3]!['contacts.update'] as (
      calls: Call<object>[],
    ) => Promise<Answer<unknown>[]>;
    const change =
      n % 2 === 0 ? { addTags: [`new${n / 2}`] } : { removeTags: [`old${(n - 1) / 2}`] };
    const input = { contactId: contact.id, ...change };
    const [answer] = await update([{ ...callAs({ workspaceId: workspace.id }), input }]);
    return answer;
  });
  for (const answer of await Promise.all(clients)) t.false(answer instanceof Fault);
  const after = await contactOf(workspace, contact.id);
  t.deepEqual(after.tags.toSorted(), numbered(32, 'new').toSorted());
  t.is(after.version, 65);
  t.is((await kindsOf(running(), workspace)).length, 65);
});

test('upserts and imports change single tags, and give them to new contacts', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await create(workspace, 'a@example.com', { tags: ['x', 'y'] });
  const changes = { addTags: ['a', 'a', 'b'], removeTags: ['x'] };
  const upserted = await workspace.call('contacts.upsert', { email: 'A@example.com', ...changes });
  t.deepEqual(upserted.contact.tags, ['y', 'a', 'b']);
  const created = await workspace.call('contacts.upsert', { email: 'new@example.com', ...changes });
  t.true(created.created);
  t.deepEqual(created.contact.tags, ['a', 'b']);
  const rows = [
    { email: 'a@example.com', addTags: ['c'], removeTags: ['a'] },
    { email: 'row@example.com', addTags: ['c'], removeTags: ['a'] },
    { email: 'row@example.com', addTags: ['d'] },
    { email: 'a@example.com', tags: [], addTags: ['c'] },
    { email: 'none@example.com', removeTags: ['c'] },
  ];
  const importId = await upload(workspace, rows);
  t.like(await ended(workspace, importId), { created: 2, updated: 2, failed: 1 });
  const skippedId = await upload(
    workspace,
    ['a@example.com', 'skipped@example.com'].map((email) => ({ email, addTags: ['s'] })),
    { mode: 'skip' },
  );
  t.like(await ended(workspace, skippedId), { created: 1, skipped: 1 });
  const { errors } = await workspace.call('imports.list-errors', { importId });
  t.deepEqual(
    errors.map(({ row, pointer }) => `${row} ${pointer}`),
    ['4 /addTags'],
  );
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(Object.fromEntries(contacts.map(({ email, tags }) => [email, tags])), {
    'a@example.com': ['y', 'b', 'c'],
    'new@example.com': ['a', 'b'],
    'row@example.com': ['c', 'd'],
    'none@example.com': [],
    'skipped@example.com': ['s'],
  });
});
