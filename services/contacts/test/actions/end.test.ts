import type { EventBody } from '@roster/contracts';
import test from 'ava';
import {
  codeOf,
  contactsFor,
  eventsOf,
  newWorkspace,
  type Workspace,
} from '../running-contacts.js';
import { beforeEach, dyingDatabase } from '../imports/running-imports.js';
import { act, actionOf, contactsOf, ended, fill, start, startRunner } from './running-actions.js';

/** A runner does the actions of all workspaces: the tests follow one another. */
const running = contactsFor(test);

const vip = { filter: { tag: ['vip'] }, change: { addTags: ['new'] } };

async function bodiesOf(workspace: Workspace) {
  const events = await eventsOf(running(), workspace);
  return events.map(({ body }) => JSON.parse(body) as EventBody);
}

/** The events of the ends of actions. */
async function endsOf(workspace: Workspace) {
  const isEnd = (body: EventBody): body is EventBody<'ACTION_ENDED'> =>
    body.event === 'ACTION_ENDED';
  return (await bodiesOf(workspace)).filter(isEnd);
}

test.serial('an action announces its end with its counts, after its contacts', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await fill(workspace, 3, (n) => ({ tags: n > 0 ? ['vip'] : [] }));
  const action = await act(workspace, vip);
  const bodies = (await bodiesOf(workspace)).slice(3);
  t.deepEqual(
    bodies.map(({ event }) => event),
    ['CONTACT_UPDATED', 'CONTACT_UPDATED', 'ACTION_ENDED'],
  );
  t.deepEqual(bodies[2], {
    event: 'ACTION_ENDED',
    created_at: action.endedAt!,
    data: { action },
  });
  t.is(action.changed, 2);
  for (const { created_at: at } of bodies) t.true(Date.parse(at) <= Date.parse(action.endedAt!));
});

test.serial(
  'a dry run, and an action that is cancelled repeatedly, announce their end once',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    await fill(workspace, 3, () => ({ tags: ['vip'] }));
    const { id: cancelled } = await start(workspace, vip);
    for (let n = 0; n < 2; n += 1)
      await workspace.call('contact-actions.cancel', { actionId: cancelled });
    startRunner(t, running().service);
    const counted = await act(workspace, { ...vip, dryRun: true });
    await workspace.call('contact-actions.cancel', { actionId: counted.id });
    t.deepEqual(
      (await endsOf(workspace)).map(({ data }) => data.action),
      [await actionOf(workspace, cancelled), counted],
    );
    t.like(counted, { dryRun: true, status: 'completed', changed: 3 });
  },
);

test.serial(
  'an action that has one slice announces its end once, wherever a process dies',
  async (t) => {
    const workspace = newWorkspace(running().bus);
    await fill(workspace, 20, () => ({ tags: ['vip'] }));
    let steps = 1;
    for (let isEnded = false; !isEnded; steps += 1) {
      const { id } = await start(workspace, { ...vip, change: { addTags: [`step-${steps}`] } });
      const { service } = running();
      const { database, died } = dyingDatabase(service.database, steps);
      const runner = startRunner(t, { ...service, database });
      await Promise.race([died, ended(workspace, id)]);
      isEnded = (await actionOf(workspace, id)).endedAt !== null;
      await runner.stop();
      const next = startRunner(t, service);
      const action = await ended(workspace, id);
      await next.stop();
      t.like(action, { status: 'completed', changed: 20 });
      const ends = (await endsOf(workspace)).map(({ data }) => data.action);
      t.deepEqual(
        ends.filter((end) => end.id === id),
        [action],
      );
    }
    t.true(steps > 5);
  },
);

/** A workspace with `count` contacts, whose property `age` is the text of a number, and the change of its type. */
async function withAges(count: number) {
  const workspace = newWorkspace(running().bus);
  await fill(workspace, count, () => ({ properties: { age: '12' } }));
  const { properties } = await workspace.call('contact-properties.list', {});
  const propertyId = properties[0]!.id;
  const makeNumber = () =>
    workspace.attempt('contact-properties.update', { propertyId, type: 'number' });
  return { workspace, propertyId, makeNumber };
}

const ages = (age: string) => ({ filter: { property: { age } }, change: { addTags: ['new'] } });
const reasonOf = (before: string, now: string) =>
  `The filter is on the contact property age, which was of the type ${before} when the action was created, and is ${now}.`;
const madeNumber = reasonOf('string', 'of the type number now');

test.serial(
  'an action fails if the type of a property of its filter was changed, and says why',
  async (t) => {
    const { workspace, makeNumber } = await withAges(600);
    const [before, dryRun] = [
      await start(workspace, ages('not:old')),
      await start(workspace, { ...ages('not:old'), dryRun: true }),
    ];
    t.is(codeOf(await makeNumber()), 'ok');
    startRunner(t, running().service);
    for (const { id } of [before, dryRun])
      t.like(await ended(workspace, id), { status: 'failed', reason: madeNumber, changed: 0 });
    t.deepEqual(
      (await endsOf(workspace)).map(({ data }) => data.action.reason),
      [madeNumber, madeNumber],
    );
  },
);

test.serial('what an action changed before the type of a property did is kept', async (t) => {
  const { workspace, makeNumber } = await withAges(600);
  const { service } = running();
  const { id } = await start(workspace, ages('not:old'));
  let slices = 0;
  const database = beforeEach(service.database, 'contact-actions.claim', async () => {
    if ((await actionOf(workspace, id)).changed > 0 && (slices += 1) === 1) await makeNumber();
  });
  startRunner(t, { ...service, database });
  t.like(await ended(workspace, id), { status: 'failed', reason: madeNumber, changed: 250 });
  const tagged = (await contactsOf(workspace)).filter(({ tags }) => tags.length > 0);
  t.is(tagged.length, 250);
});

test.serial(
  'a type that is changed during a slice ends the action, also if the filter fits both',
  async (t) => {
    const { workspace, makeNumber } = await withAges(5);
    const { service } = running();
    let isChanged = false;
    const database = beforeEach(service.database, 'contact-actions.walk', async () => {
      if (isChanged) return;
      isChanged = true;
      await makeNumber();
    });
    startRunner(t, { ...service, database });
    const { id } = await start(workspace, ages('any:12,13'));
    const action = await ended(workspace, id);
    t.like(action, { status: 'failed', reason: madeNumber, examined: 0, matched: 0 });
    t.is((await endsOf(workspace)).length, 1);
  },
);

test.serial('no contact is deleted by a filter on a property that was deleted', async (t) => {
  const { workspace, makeNumber, propertyId } = await withAges(5);
  await makeNumber();
  const filter = { property: { age: 'not:12' } };
  const { id } = await start(workspace, { filter, change: { delete: true } });
  await workspace.call('contact-properties.delete', { propertyId });
  startRunner(t, running().service);
  const reason = reasonOf('number', 'not defined any more');
  t.like(await ended(workspace, id), { status: 'failed', reason, matched: 0 });
  t.is((await contactsOf(workspace)).length, 5);
});

test.serial('an action may define the property that its filter is on', async (t) => {
  const { workspace } = await withAges(5);
  startRunner(t, running().service);
  const change = { properties: { plan: 'pro' } };
  const action = await act(workspace, { filter: { property: { plan: 'missing' } }, change });
  t.like(action, { status: 'completed', matched: 5, changed: 5 });
});
