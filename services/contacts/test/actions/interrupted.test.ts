import { eventually } from '@roster/testing';
import test from 'ava';
import { contactsFor, create, kindsOf, newWorkspace } from '../running-contacts.js';
import { beforeEach, dyingDatabase } from '../imports/running-imports.js';
import {
  act,
  actionOf,
  announced,
  contactsOf,
  ended,
  fill,
  start,
  startRunner,
} from './running-actions.js';

/** A runner does the actions of all workspaces: the tests follow one another. */
const running = contactsFor(test);

/** More than the statements of a slice. */
const stepsMax = 30;
const isMatching = (n: number) => n % 4 > 0;

for (const [what, change, kind] of [
  ['changed', { addTags: ['new'], properties: { city: 'Paris' } }, 'CONTACT_UPDATED'],
  ['deleted', { delete: true }, 'CONTACT_DELETED'],
] as const)
  test.serial(`each contact is ${what} and announced once, wherever a process dies`, async (t) => {
    const workspace = newWorkspace(running().bus);
    const emails = await fill(workspace, 9000, (n) => ({ tags: isMatching(n) ? ['vip'] : [] }));
    const { id } = await start(workspace, {
      filter: { tag: ['vip'] },
      change: change as Parameters<typeof start>[1]['change'],
    });
    for (let steps = 1; steps <= stepsMax; steps += 1) {
      const { service } = running();
      const { database, died } = dyingDatabase(service.database, steps);
      const runner = startRunner(t, { ...service, database });
      await died;
      await runner.stop();
    }
    const interrupted = await actionOf(workspace, id);
    t.is(interrupted.status, 'running');
    t.true(interrupted.changed > 0);
    startRunner(t, running().service);
    t.like(await ended(workspace, id), {
      ...{ status: 'completed', examined: 9000, matched: 6750, changed: 6750 },
      ...{ unchanged: 0, failed: 0 },
    });
    const matching = emails.filter((_, n) => isMatching(n));
    t.deepEqual(await announced(running(), workspace, kind), matching);
    const kinds = await kindsOf(running(), workspace);
    t.is(kinds.indexOf('ACTION_ENDED'), kinds.length - 1, 'once, and last');
    const contacts = await contactsOf(workspace);
    const others = emails.filter((_, n) => !isMatching(n));
    t.deepEqual(
      contacts.map(({ email, version }) => `${email} ${version}`),
      what === 'deleted'
        ? others.map((email) => `${email} 1`)
        : emails.map((email, n) => `${email} ${isMatching(n) ? 2 : 1}`),
    );
  });

test.serial('no contact is changed after the answer to a cancellation', async (t) => {
  const workspace = newWorkspace(running().bus);
  await fill(workspace, 8000);
  const { id } = await start(workspace, { filter: {}, change: { delete: true } });
  const runner = startRunner(t, running().service);
  await eventually(async () => (await actionOf(workspace, id)).changed > 0);
  const { action: cancelled } = await workspace.call('contact-actions.cancel', { actionId: id });
  t.is(cancelled.status, 'cancelled');
  // Later work of the same process.
  await act(workspace, { filter: {}, change: { addTags: ['later'] }, dryRun: true });
  await runner.stop();
  t.is((await contactsOf(workspace)).length, 8000 - cancelled.changed);
  t.true(cancelled.changed < 8000);
  t.deepEqual((await workspace.call('contact-actions.cancel', { actionId: id })).action, cancelled);
});

test.serial('a contact that no longer matches when its turn comes is not changed', async (t) => {
  const workspace = newWorkspace(running().bus);
  await fill(workspace, 2, () => ({ tags: ['vip'] }));
  const [first] = await contactsOf(workspace);
  const { service } = running();
  const update = { contactId: first!.id, tags: [] };
  const database = beforeEach(service.database, 'contacts.take-turns', async () => {
    await workspace.call('contacts.update', update);
  });
  startRunner(t, { ...service, database });
  const change = { delete: true } as const;
  t.like(await act(workspace, { filter: { tag: ['vip'] }, change }), { matched: 1, changed: 1 });
  t.like(await contactsOf(workspace), { length: 1, 0: { id: first!.id } });
});

test.serial('contacts that are created after the action are not changed', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'first@example.com');
  const { id } = await start(workspace, { filter: {}, change: { delete: true } });
  await create(workspace, 'later@example.com');
  startRunner(t, running().service);
  t.like(await ended(workspace, id), { total: 1, matched: 1, changed: 1 });
  t.deepEqual(
    (await contactsOf(workspace)).map(({ email }) => email),
    ['later@example.com'],
  );
});

test.serial('workspaces take turns: a short action does not wait for a long one', async (t) => {
  const [long, short] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  await fill(long, 2000);
  await fill(short, 50);
  const input = { filter: {}, change: { addTags: ['a'] } };
  const [{ id: longId }, { id: shortId }] = [await start(long, input), await start(short, input)];
  startRunner(t, running().service);
  const [first, last] = await Promise.all([ended(short, shortId), ended(long, longId)]);
  t.true(Date.parse(first.endedAt!) < Date.parse(last.endedAt!));
});

test.serial('no request of another workspace waits for a slice of an action', async (t) => {
  const [acting, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  await fill(acting, 600);
  const { contact } = await create(other, 'first@example.com');
  const { service } = running();
  let slices = 0;
  // The slice has changed its contacts, and holds all its locks.
  const database = beforeEach(service.database, 'contact-actions.advance', async () => {
    slices += 1;
    await create(other, `${slices}@example.com`);
    await other.call('contacts.update', { contactId: contact.id, tags: [`${slices}`] });
    const operations = [{ action: 'create' as const, email: `batch${slices}@example.com` }];
    await other.call('contacts.batch', { operations });
    const { tags } = await other.call('tags.list', {});
    t.deepEqual(tags, [{ name: `${slices}`, contacts: 1 }]);
    const { contacts } = await other.call('contacts.list', { limit: 10 });
    t.is(contacts.length, 1 + 2 * slices);
    const { action } = await other.call('tags.delete', { tag: `${slices}`, dryRun: true });
    await other.call('contact-actions.cancel', { actionId: action.id });
  });
  startRunner(t, { ...service, database });
  t.like(await act(acting, { filter: {}, change: { addTags: ['a'] } }), { changed: 600 });
  t.is(slices, 3);
});
