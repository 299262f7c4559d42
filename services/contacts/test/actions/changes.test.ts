import type { Fault } from '@roster/contracts';
import test from 'ava';
import { contactsFor, create, eventsOf, kindsOf, newWorkspace } from '../running-contacts.js';
import { act, announced, contactsOf, fill, startRunner } from './running-actions.js';

const running = contactsFor(test);

test('an action changes all contacts that match, with one version and one event of each that differs', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const emails = await fill(workspace, 600, (n) => ({
    tags: n % 3 === 0 ? ['vip'] : ['other'],
    properties: { city: n % 2 === 0 ? 'Paris' : 'Rome' },
  }));
  const action = await act(workspace, {
    filter: { tag: ['any:vip,customer'], property: { city: 'not:Rome' } },
    change: { addTags: ['new'], removeTags: ['vip'], properties: { city: null, plan: 'pro' } },
  });
  t.like(action, {
    ...{ status: 'completed', total: 600, examined: 600 },
    ...{ matched: 100, changed: 100, unchanged: 0, failed: 0, failures: [], reason: null },
  });
  const matching = emails.filter((_, n) => n % 6 === 0);
  for (const [n, contact] of (await contactsOf(workspace)).entries())
    t.like(
      contact,
      n % 6 === 0
        ? { tags: ['new'], properties: { plan: 'pro' }, version: 2 }
        : { tags: n % 3 === 0 ? ['vip'] : ['other'], version: 1 },
    );
  t.deepEqual(await announced(running(), workspace, 'CONTACT_UPDATED'), matching);
});

test('contacts that are already as the change makes them are unchanged, and not announced', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await fill(workspace, 4, (n) => ({ tags: n < 3 ? ['a', 'b'] : [] }));
  const action = await act(workspace, { filter: {}, change: { addTags: ['b'] } });
  t.like(action, { matched: 4, changed: 1, unchanged: 3, failed: 0 });
  t.deepEqual(await announced(running(), workspace, 'CONTACT_UPDATED'), ['3@example.com']);
});

test('status=unsubscribed is one CONTACT_UNSUBSCRIBED with all that changed', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await fill(workspace, 3, (n) => (n === 0 ? { status: 'unsubscribed' } : {}));
  const change = { status: 'unsubscribed' as const, addTags: ['left'] };
  const action = await act(workspace, { filter: { status: 'subscribed' }, change });
  t.like(action, { matched: 2, changed: 2 });
  const events = (await eventsOf(running(), workspace)).slice(3);
  t.deepEqual(
    events.map(({ kind }) => kind),
    ['CONTACT_UNSUBSCRIBED', 'CONTACT_UNSUBSCRIBED', 'ACTION_ENDED'],
  );
  t.like(JSON.parse(events[0]!.details!), {
    contact: { status: 'unsubscribed', tags: ['left'], version: 2 },
    previous: { status: 'subscribed', tags: [] },
  });
});

test('an action deletes all contacts that match', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const emails = await fill(workspace, 600, (n) => ({ tags: n % 2 === 0 ? ['old'] : [] }));
  const action = await act(workspace, { filter: { tag: ['old'] }, change: { delete: true } });
  t.like(action, { status: 'completed', matched: 300, changed: 300 });
  const [gone, kept] = [0, 1].map((rest) => emails.filter((_, n) => n % 2 === rest));
  t.deepEqual(await announced(running(), workspace, 'CONTACT_DELETED'), gone);
  t.deepEqual(
    (await contactsOf(workspace)).map(({ email }) => email),
    kept,
  );
  const { pagination } = await workspace.call('contacts.list', {});
  t.is(pagination.total, 300);
});

test('of contacts that are named by their IDs, those that match are changed: those of other workspaces and unknown ones are ignored', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  startRunner(t, running().service);
  await fill(workspace, 400, (n) => ({ tags: n < 290 ? ['old'] : [] }));
  const { contact: foreign } = await create(other, 'foreign@example.com', { tags: ['old'] });
  const ids = (await contactsOf(workspace)).slice(0, 300).map(({ id }) => id);
  const action = await act(workspace, {
    filter: { tag: ['old'] },
    contactIds: [...ids.toReversed(), ids[0]!, foreign.id],
    change: { delete: true },
  });
  t.like(action, { total: 301, examined: 301, matched: 290, changed: 290 });
  t.is((await contactsOf(workspace)).length, 110);
  t.is((await contactsOf(other)).length, 1);
});

test('a dry run counts the outcomes, and changes, announces and deletes nothing', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await fill(workspace, 300, (n) => ({ tags: n < 100 ? ['a'] : ['a', 'b'] }));
  const stateOf = async () => {
    const kinds = await kindsOf(running(), workspace);
    return [await contactsOf(workspace), kinds.filter((kind) => kind !== 'ACTION_ENDED')];
  };
  const before = await stateOf();
  const tagged = { filter: { tag: ['a'] }, change: { addTags: ['b'], properties: { p: null } } };
  t.like(await act(workspace, { ...tagged, dryRun: true }), {
    ...{ dryRun: true, status: 'completed', matched: 300, changed: 100, unchanged: 200 },
  });
  const deletion = { filter: {}, change: { delete: true as const } };
  t.like(await act(workspace, { ...deletion, dryRun: true }), { matched: 300, changed: 300 });
  t.deepEqual(await stateOf(), before);
  t.like(await act(workspace, tagged), { matched: 300, changed: 100, unchanged: 200 });
});

test('a contact that the change would make too large is left as it is, and named', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const large = { properties: { a: 'x'.repeat(4000), b: 'x'.repeat(4000) } };
  await fill(workspace, 8, (n) => (n > 0 ? large : {}));
  const change = { properties: { c: 'x'.repeat(3000) } };
  const action = await act(workspace, { filter: {}, change });
  t.like(action, { status: 'completed', matched: 8, changed: 1, failed: 7 });
  const contacts = await contactsOf(workspace);
  t.deepEqual(
    action.failures.map(({ contactId }) => contactId),
    contacts.slice(1, 6).map(({ id }) => id),
  );
  t.regex(action.failures[0]!.message, /^properties must be shorter: the contact would have \d+/);
  t.deepEqual(contacts[1]!.version, 1);
});

test('an action selects by a range of a property: a contact must match all conditions on it', async (t) => {
  startRunner(t, running().service);
  const workspace = newWorkspace(running().bus);
  await workspace.call('contact-properties.create', { name: 'age', label: 'Age', type: 'number' });
  await fill(workspace, 12, (n) => ({ properties: { age: n } }));
  const filter = { property: { age: ['gte:9', 'lt:11'] } };
  const action = await act(workspace, { filter, change: { addTags: ['a'] } });
  t.like(action, { matched: 2, changed: 2, filter });
  const tagged = (await contactsOf(workspace)).filter(({ tags }) => tags.length > 0);
  t.deepEqual(
    tagged.map(({ properties }) => properties['age']),
    [9, 10],
  );
  const wrong = { property: { age: ['gte:9', 'lt:x'] } };
  const refused = await workspace.attempt('contact-actions.create', {
    filter: wrong,
    change: { addTags: ['a'] },
  });
  t.like(refused, { details: { errors: [{ pointer: '/filter/property/age/1' }] } });
});

test('an action whose values are not of the types of their properties is refused', async (t) => {
  const workspace = newWorkspace(running().bus);
  await workspace.call('contact-properties.create', { name: 'age', label: 'Age', type: 'number' });
  const properties = { age: '9', city: 'Paris', rank: 1 };
  const refused = await workspace.attempt('contact-actions.create', {
    filter: {},
    change: { properties },
  });
  t.deepEqual(
    (refused as Fault).details.errors?.map(({ pointer, message }) => [pointer, message]),
    [
      [
        '/change/properties/age',
        'must be a number, because the contact property has the type number',
      ],
      [
        '/change/properties/rank',
        'must be a string: define it as a contact property of the type number first',
      ],
    ],
  );
});
