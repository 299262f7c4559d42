import { importLimits, uuidOf, type EventBody } from '@roster/contracts';
import { eventually } from '@roster/testing';
import { IdClock } from '@roster/process';
import test from 'ava';
import { expireImports } from '../../imports/expire-imports.js';
import {
  contactsFor,
  create,
  eventsOf,
  kindsOf,
  newWorkspace,
  type Workspace,
} from '../running-contacts.js';
import {
  addresses,
  beforeEach,
  contentsOf,
  ended,
  importOf,
  startRunner,
  upload,
} from './running-imports.js';

const running = contactsFor(test);

const contacts = [
  { email: 'existing@example.com', name: 'Changed' },
  { email: 'same@example.com' },
  ...addresses(120).map((email) => ({ email, properties: { plan: 'pro' } })),
];

test('with events=summary, an import announces its end and its counts, and none of its contacts', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await create(workspace, 'existing@example.com');
  await create(workspace, 'same@example.com');
  const before = await kindsOf(running(), workspace);
  const id = await upload(workspace, contacts, { events: 'summary' });
  const imported = await ended(workspace, id);
  t.like(imported, { status: 'completed', events: 'summary', created: 120, updated: 2 });
  t.deepEqual(await kindsOf(running(), workspace), [...before, 'IMPORT_ENDED']);
  const { emails, ends } = await contentsOf(running(), workspace);
  t.deepEqual(ends, [imported]);
  t.is(emails.length, 122);
  const { contacts: all } = await workspace.call('contacts.list', { limit: 100 });
  t.like(all[0], { email: 'existing@example.com', name: 'Changed' });
  t.deepEqual(all[2]!.properties, { plan: 'pro' });
});

test('other writes are announced while an import with events=summary runs', async (t) => {
  const workspace = newWorkspace(running().bus);
  const id = await upload(workspace, contacts, { events: 'summary' });
  startRunner(t, running().service);
  const single = addresses(20, 'single-');
  await Promise.all(single.map((email) => create(workspace, email)));
  await ended(workspace, id);
  const { announced } = await contentsOf(running(), workspace);
  t.deepEqual(announced.toSorted(), single.toSorted());
});

test('with events=each, an import announces each contact that it creates or changes, and then its end', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await create(workspace, 'existing@example.com');
  await create(workspace, 'same@example.com');
  const before = await kindsOf(running(), workspace);
  const imported = await ended(workspace, await upload(workspace, contacts));
  t.is(imported.events, 'each');
  const kinds = (await kindsOf(running(), workspace)).slice(before.length);
  t.is(kinds.filter((kind) => kind === 'CONTACT_CREATED').length, 120);
  t.is(kinds.filter((kind) => kind === 'CONTACT_UPDATED').length, 1);
  t.is(kinds.length, 122);
  t.is(kinds.at(-1), 'IMPORT_ENDED');
});

test('an import does not end before the contacts that it creates, nor before its events', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await ended(workspace, await upload(workspace, contacts));
  t.true((await earlyMs(workspace)) <= 0);
});

for (const [when, statement, n] of [
  ['before its last rows are applied', 'imports.claim', 2],
  ['while its last rows are applied', 'imports.advance', 2],
] as const)
  test.serial(
    `an import does not end before its contacts and events if the clock is set back by an hour ${when}`,
    async (t) => {
      const workspace = newWorkspace(running().bus);
      const id = await upload(
        workspace,
        addresses(300).map((email) => ({ email })),
      );
      const setBack = setClockAhead(3_600_000);
      t.teardown(setBack);
      let left = n;
      const database = beforeEach(running().database, statement, async () => {
        if ((left -= 1) === 0) setBack();
      });
      startRunner(t, { ...running().service, database, ids: new IdClock() });
      await ended(workspace, id);
      t.true(left <= 0);
      t.true((await earlyMs(workspace)) <= 0);
    },
  );

/** By how many milliseconds the only import of a workspace has ended before something that it has written. */
async function earlyMs(workspace: Workspace) {
  const events = await eventsOf(running(), workspace);
  const bodies = events.map(({ body }) => JSON.parse(body) as EventBody<'IMPORT_ENDED'>);
  const { data, created_at } = bodies.find(({ event }) => event === 'IMPORT_ENDED')!;
  const { contacts: all } = await workspace.call('contacts.list', { limit: 100 });
  const written = [...bodies.map((body) => body.created_at), ...all.map((one) => one.createdAt)];
  const endedMs = Math.min(...[data.import.endedAt!, created_at].map((at) => Date.parse(at)));
  return Math.max(...written.map((at) => Date.parse(at))) - endedMs;
}

/** Returns a function that sets the clock back. */
function setClockAhead(ms: number): () => void {
  const clock = Date;
  globalThis.Date = class extends clock {
    constructor(...given: [number?]) {
      super(given[0] ?? clock.now() + ms);
    }
    static override now = () => clock.now() + ms;
  } as DateConstructor;
  return () => {
    globalThis.Date = clock;
  };
}

test('an import that is cancelled, repeatedly or during its upload, announces that once', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { import: uploading } = await workspace.call('imports.create', { events: 'summary' });
  const cancel = (importId: string) => workspace.call('imports.cancel', { importId });
  await cancel(uploading.id);
  const id = await upload(
    workspace,
    addresses(10_000).map((email) => ({ email })),
    { events: 'summary' },
  );
  startRunner(t, running().service);
  await eventually(async () => (await importOf(workspace, id)).done > 0);
  const { import: cancelled } = await cancel(id);
  await cancel(id);
  const { emails, ends, announced } = await contentsOf(running(), workspace);
  t.is(cancelled.status, 'cancelled');
  t.is(cancelled.created, emails.length);
  t.deepEqual(ends, [await importOf(workspace, uploading.id), cancelled]);
  t.deepEqual(announced, []);
});

test('an import whose upload fails, is abandoned or has no rows announces its end once', async (t) => {
  const { service, database } = running();
  const workspace = newWorkspace(running().bus);
  const begin = async () => (await workspace.call('imports.create', {})).import.id;
  const failing = await begin();
  const failure = { importId: failing, chunks: 0, total: 0, failure: 'The body ended early.' };
  await workspace.call('imports.finish', failure);
  await workspace.call('imports.finish', failure);
  const empty = await upload(workspace, []);
  const abandoned = [];
  for (let n = 0; n < importLimits.active; n += 1) abandoned.push(await begin());
  await database.query(
    {
      name: 'test.age',
      text: `update contacts.imports set received_at = now() - interval '16 minutes' where workspace_id = $1`,
    },
    [uuidOf('workspace', workspace.id)],
  );
  await Promise.all([expireImports(service), expireImports(service)]);
  await expireImports(service);
  const { ends } = await contentsOf(running(), workspace);
  const all = await Promise.all(
    [failing, empty, ...abandoned].map((id) => importOf(workspace, id)),
  );
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
  t.deepEqual(ends.toSorted(byId), all.toSorted(byId));
  t.deepEqual(
    all.map(({ status }) => status),
    ['failed', 'completed', ...abandoned.map(() => 'failed')],
  );
});
