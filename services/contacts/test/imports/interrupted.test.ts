import { eventually } from '@roster/testing';
import test from 'ava';
import { contactsFor, create, newWorkspace } from '../running-contacts.js';
import {
  addresses,
  contentsOf,
  dyingDatabase,
  ended,
  importOf,
  startRunner,
  upload,
} from './running-imports.js';

/** A runner applies the imports of all workspaces: the tests follow one another. */
const running = contactsFor(test);

/** More than the statements of a slice. */
const stepsMax = 40;

test.serial('no row is lost or applied twice, wherever a process dies', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'existing@example.com');
  const emails = addresses(10_000);
  const existing = { email: 'existing@example.com', name: 'Ada', properties: { city: 'Paris' } };
  const id = await upload(workspace, [
    existing,
    ...emails.map((email) => ({ email, properties: { city: 'Paris' } })),
  ]);
  let runs = 0;
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const { service } = running();
    const { database, died } = dyingDatabase(service.database, steps);
    const runner = startRunner(t, { ...service, database });
    await died;
    await runner.stop();
    runs += 1;
  }
  t.is(runs, stepsMax);
  const interrupted = await importOf(workspace, id);
  t.is(interrupted.status, 'running');
  t.true(interrupted.done > 0);
  startRunner(t, running().service);
  const { status, total, created, updated, failed } = await ended(workspace, id);
  t.deepEqual(
    { status, total, created, updated, failed },
    {
      status: 'completed',
      total: emails.length + 1,
      created: emails.length,
      updated: 1,
      failed: 0,
    },
  );
  const contents = await contentsOf(running(), workspace);
  t.deepEqual(contents.emails, ['existing@example.com', ...emails]);
  t.deepEqual(
    contents.announced.toSorted(),
    [...['existing@example.com', 'existing@example.com'], ...emails].toSorted(),
  );
});

for (const events of ['each', 'summary'] as const)
  test.serial(
    `rows are applied once and the end is announced once, wherever a process dies in the last slice (events=${events})`,
    async (t) => {
      const workspace = newWorkspace(running().bus);
      const emails: string[] = [];
      let hasSurvived = false;
      for (let steps = 1; steps <= stepsMax || !hasSurvived; steps += 1) {
        const some = addresses(3, `${steps}-`);
        emails.push(...some);
        const rows = some.map((email) => ({ email, properties: { city: 'Paris' } }));
        const id = await upload(workspace, rows, { events });
        const { service } = running();
        const { database, died } = dyingDatabase(service.database, steps);
        const dying = startRunner(t, { ...service, database });
        await Promise.race([died, ended(workspace, id)]);
        await dying.stop();
        hasSurvived = (await importOf(workspace, id)).status === 'completed';
        const next = startRunner(t, service);
        const imported = await ended(workspace, id);
        await next.stop();
        t.like(imported, { status: 'completed', created: 3 }, `${steps}`);
        const { ends } = await contentsOf(running(), workspace);
        t.deepEqual(ends.at(-1), imported);
        t.is(ends.length, steps);
      }
      const contents = await contentsOf(running(), workspace);
      t.deepEqual(contents.emails, emails);
      t.deepEqual(contents.announced, events === 'each' ? emails : []);
    },
  );

test.serial('workspaces take turns: a short import does not wait for a long one', async (t) => {
  const [long, short] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const longId = await upload(
    long,
    addresses(600).map((email) => ({ email })),
  );
  const shortId = await upload(
    short,
    addresses(60).map((email) => ({ email })),
  );
  startRunner(t, running().service);
  const [first, last] = await Promise.all([ended(short, shortId), ended(long, longId)]);
  t.true(Date.parse(first.endedAt!) < Date.parse(last.endedAt!));
});

test.serial('no row is applied after the answer to a cancellation', async (t) => {
  const workspace = newWorkspace(running().bus);
  const id = await upload(
    workspace,
    addresses(10_000).map((email) => ({ email })),
  );
  const runner = startRunner(t, running().service);
  await eventually(async () => (await importOf(workspace, id)).done > 0);
  const { import: cancelled } = await workspace.call('imports.cancel', { importId: id });
  t.is(cancelled.status, 'cancelled');
  const { emails } = await contentsOf(running(), workspace);
  t.is(emails.length, cancelled.created);
  t.true(emails.length < 10_000);
  // Later work of the same process.
  const next = await upload(workspace, [{ email: 'next@example.com' }]);
  await ended(workspace, next);
  await runner.stop();
  t.is((await contentsOf(running(), workspace)).emails.length, cancelled.created + 1);
  t.deepEqual((await workspace.call('imports.cancel', { importId: id })).import, cancelled);
});
