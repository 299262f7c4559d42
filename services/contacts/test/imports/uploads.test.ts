import { importLimits, uuidOf } from '@roster/contracts';
import test from 'ava';
import { expireImports } from '../../imports/expire-imports.js';
import { codeOf, contactsFor, newWorkspace } from '../running-contacts.js';
import { ended, importOf, startRunner, upload } from './running-imports.js';

const running = contactsFor(test);

const rows = [{ row: 1, contact: { email: 'ada@example.com' } }];

test('a chunk that is sent twice is stored once, and an upload with missing chunks is not finished', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { import: created } = await workspace.call('imports.create', {});
  const importId = created.id;
  const chunk = { importId, ordinal: 0, rows };
  await Promise.all([
    workspace.call('imports.append', chunk),
    workspace.call('imports.append', chunk),
  ]);
  const finish = (chunks: number, total: number) =>
    workspace.attempt('imports.finish', { importId, chunks, total });
  t.is(codeOf(await finish(2, 2)), 'conflict');
  t.is((await importOf(workspace, importId)).status, 'uploading');
  t.is(codeOf(await finish(1, 1)), 'ok');
  t.is(codeOf(await finish(1, 1)), 'ok');
  t.is(codeOf(await workspace.attempt('imports.append', { ...chunk, ordinal: 1 })), 'conflict');
  startRunner(t, running().service);
  t.like(await ended(workspace, importId), { total: 1, created: 1 });
});

test('an import without rows is completed, and one whose upload failed says why', async (t) => {
  const workspace = newWorkspace(running().bus);
  const empty = await upload(workspace, []);
  t.like(await importOf(workspace, empty), { status: 'completed', total: 0 });
  const { import: failing } = await workspace.call('imports.create', {});
  const input = { importId: failing.id, chunks: 0, total: 0, failure: 'The body ended early.' };
  const { import: failed } = await workspace.call('imports.finish', input);
  t.like(failed, { status: 'failed', reason: 'The body ended early.' });
  t.not(failed.endedAt, null);
});

test('an import has the name of its file, if it was given', async (t) => {
  const workspace = newWorkspace(running().bus);
  const named = await upload(workspace, [], { fileName: 'Kunden 2026.csv' });
  const unnamed = await upload(workspace, []);
  t.is((await importOf(workspace, named)).fileName, 'Kunden 2026.csv');
  const { imports } = await workspace.call('imports.list', {});
  t.deepEqual(
    imports.map(({ id, fileName }) => [id, fileName]),
    [
      [unnamed, null],
      [named, 'Kunden 2026.csv'],
    ],
  );
});

test('a workspace has a bounded number of imports that have not ended', async (t) => {
  const workspace = newWorkspace(running().bus);
  const outcomes = await Promise.all(
    Array.from({ length: importLimits.active + 2 }, () => workspace.attempt('imports.create', {})),
  );
  const codes = outcomes.map(codeOf);
  t.is(codes.filter((code) => code === 'ok').length, importLimits.active);
  t.is(codes.filter((code) => code === 'limit_reached').length, 2);
  t.is(codeOf(await newWorkspace(running().bus).attempt('imports.create', {})), 'ok');
});

test('an upload that receives nothing for 15 minutes fails, its rows are deleted, and so are imports after 30 days', async (t) => {
  const { database, service } = running();
  const workspace = newWorkspace(running().bus);
  const { import: created } = await workspace.call('imports.create', {});
  const importId = created.id;
  await workspace.call('imports.append', { importId, ordinal: 0, rows });
  const age = (column: string, interval: string) =>
    database.query(
      {
        name: 'test.age',
        text: `update contacts.imports set ${column} = now() - interval '${interval}' where workspace_id = $1`,
      },
      [uuidOf('workspace', workspace.id)],
    );
  const chunks = async () =>
    (
      await database.query(
        {
          name: 'test.chunks',
          text: 'select 1 from contacts.import_chunks where workspace_id = $1',
        },
        [uuidOf('workspace', workspace.id)],
      )
    ).length;
  await expireImports(service);
  t.is((await importOf(workspace, importId)).status, 'uploading');
  await age('received_at', '16 minutes');
  await expireImports(service);
  t.like(await importOf(workspace, importId), { status: 'failed' });
  t.is(await chunks(), 0);
  await age('ended_at', '31 days');
  await expireImports(service);
  t.is(codeOf(await workspace.attempt('imports.get', { importId })), 'not_found');
});

test('imports are listed newest first, in pages, and those of other workspaces are not', async (t) => {
  const workspace = newWorkspace(running().bus);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift(await upload(workspace, []));
  const other = await upload(newWorkspace(running().bus), []);
  const listed: string[] = [];
  let after: string | null | undefined;
  const sizes: number[] = [];
  while (after !== null) {
    const { imports, pagination } = await workspace.call('imports.list', {
      ...{ limit: 2 },
      ...(after !== undefined && { after }),
    });
    listed.push(...imports.map(({ id }) => id));
    sizes.push(imports.length);
    after = pagination.next;
  }
  t.deepEqual(listed, ids);
  t.deepEqual(sizes, [2, 2, 1]);
  t.false(listed.includes(other));
  const { imports } = await workspace.call('imports.list', {});
  t.deepEqual(imports[0], await importOf(workspace, ids[0]!));
  t.is(codeOf(await workspace.attempt('imports.list', { after: 'x' })), 'invalid');
});

for (const name of ['get', 'cancel', 'list-errors', 'finish', 'append'] as const)
  test(`imports.${name} does not find the import of another workspace`, async (t) => {
    const [owner, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
    const { import: created } = await owner.call('imports.create', {});
    const importId = created.id;
    const inputs = {
      ...{ get: { importId }, cancel: { importId }, 'list-errors': { importId } },
      finish: { importId, chunks: 0, total: 0, failure: 'x' },
      append: { importId, ordinal: 0, rows },
    };
    t.is(codeOf(await other.attempt(`imports.${name}`, inputs[name])), 'not_found');
    t.is((await importOf(owner, importId)).status, 'uploading');
  });
