import type { Operations, OutputOf } from '@roster/contracts';
import test from 'ava';
import { contactsFor, create, kindsOf, newWorkspace, type Workspace } from '../running-contacts.js';
import { addresses, contentsOf, ended, startRunner, upload, type Rows } from './running-imports.js';

const running = contactsFor(test);

const rows = [
  { email: 'new@example.com', name: 'Ada', tags: ['vip', 'vip'], properties: { city: 'Paris' } },
  { email: 'not an address' },
  { email: 'existing@example.com', name: 'Changed' },
  { email: 'exported@example.com', id: 'cont_x', createdAt: 'x', status: 'unsubscribed' },
  { email: 'a@example.com', color: 'red', '\0\ud800': 1 },
  { email: 'b@example.com', properties: { CITY: 'x' } },
  { email: 'new@example.com', properties: { plan: 'pro' } },
];

test('a row is applied as an upsert with its fields, and a wrong one is reported without stopping the others', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await create(workspace, 'existing@example.com', { tags: ['kept'], properties: { city: 'Rome' } });
  const id = await upload(workspace, rows);
  const { status, total, done, created, updated, skipped, failed } = await ended(workspace, id);
  t.deepEqual(
    { status, total, done, created, updated, skipped, failed },
    { status: 'completed', total: 7, done: 7, created: 2, updated: 2, skipped: 0, failed: 3 },
  );
  const { contacts } = await workspace.call('contacts.list', {});
  t.like(
    contacts.map(({ email, name, tags, properties, status: state }) => ({
      ...{ email, name, tags, properties, state },
    })),
    [
      {
        email: 'existing@example.com',
        name: 'Changed',
        tags: ['kept'],
        properties: { city: 'Rome' },
      },
      { email: 'new@example.com', tags: ['vip'], properties: { city: 'Paris', plan: 'pro' } },
      { email: 'exported@example.com', state: 'unsubscribed' },
    ],
  );
  const { errors, next } = await workspace.call('imports.list-errors', { importId: id });
  t.is(next, null);
  t.deepEqual(
    errors.map(({ row, code, pointer }) => `${row} ${code} ${pointer}`),
    [
      '2 invalid /email',
      '5 invalid /color',
      '5 invalid /\u{FFFD}\u{FFFD}',
      '6 invalid /properties/CITY',
    ],
  );
});

test('rows with the same new address are applied in their order', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const between = addresses(200).map((email) => ({ email }));
  const id = await upload(workspace, [
    { email: 'a@example.com', name: 'First' },
    { email: 'A@example.com', name: 'Second', tags: ['second'] },
    { email: 'a@example.com', properties: { row: 'third' } },
    ...between,
    { email: 'a@example.com', name: 'Last' },
  ]);
  t.like(await ended(workspace, id), { created: 201, updated: 3, failed: 0 });
  const { contacts } = await workspace.call('contacts.list', { limit: 1 });
  t.like(contacts[0], {
    ...{ email: 'a@example.com', name: 'Last', tags: ['second'] },
    properties: { row: 'third' },
  });
});

for (const mode of ['upsert', 'skip'] as const)
  test(`a row without an address concerns the contact with its external ID, and is refused if there is none (${mode})`, async (t) => {
    const workspace = newWorkspace(running().bus);
    startRunner(t, running().service);
    await create(workspace, 'a@example.com', { externalId: 'a', name: 'A' });
    const id = await upload(
      workspace,
      [
        { externalId: 'a', name: 'Changed' },
        { externalId: 'b', name: 'Unknown yet' },
        { externalId: 'b', email: 'b@example.com', name: 'B' },
        { externalId: 'b', tags: ['later'] },
        { externalId: 'A' },
        { name: 'Nobody' },
      ],
      { mode },
    );
    const isUpsert = mode === 'upsert';
    const outcome = { created: 1, updated: isUpsert ? 2 : 0, skipped: isUpsert ? 0 : 2, failed: 3 };
    t.like(await ended(workspace, id), outcome);
    const { errors } = await workspace.call('imports.list-errors', { importId: id });
    const unknown = 'is required, because no contact has this externalId';
    t.deepEqual(
      errors.map(({ row, pointer, message }) => [row, pointer, message]),
      [
        [2, '/email', unknown],
        [5, '/email', unknown],
        [6, '/email', 'is required'],
      ],
    );
    const { contacts } = await workspace.call('contacts.list', {});
    t.like(contacts, [
      { email: 'a@example.com', name: isUpsert ? 'Changed' : 'A' },
      { email: 'b@example.com', name: 'B', tags: isUpsert ? ['later'] : [] },
    ]);
  });

test('in the mode skip, existing contacts are left unchanged', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  await create(workspace, 'existing@example.com', { name: 'Kept' });
  const id = await upload(workspace, rows, { mode: 'skip' });
  t.like(await ended(workspace, id), { created: 2, updated: 0, skipped: 2, failed: 3 });
  t.deepEqual(await kindsOf(running(), workspace), [
    ...Array<string>(3).fill('CONTACT_CREATED'),
    'IMPORT_ENDED',
  ]);
  const { contacts } = await workspace.call('contacts.list', {});
  t.is(contacts[0]!.name, 'Kept');
});

for (const mode of ['upsert', 'skip'] as const)
  test(`a dry run counts as the import itself, and changes nothing (${mode})`, async (t) => {
    const workspace = newWorkspace(running().bus);
    startRunner(t, running().service);
    await create(workspace, 'existing@example.com', { properties: { city: 'Rome' } });
    const { ends: _, ...before } = await contentsOf(running(), workspace);
    const all = [...rows, ...addresses(120).map((email) => ({ email, properties: { plan: 'x' } }))];
    const dry = await ended(workspace, await upload(workspace, all, { mode, dryRun: true }));
    const { ends, ...after } = await contentsOf(running(), workspace);
    t.deepEqual(after, before);
    t.deepEqual(ends, [dry]);
    t.deepEqual(
      (await workspace.call('contact-properties.list', {})).properties.map(({ name }) => name),
      ['city'],
    );
    const real = await ended(workspace, await upload(workspace, all, { mode }));
    for (const count of ['created', 'updated', 'skipped', 'failed', 'total', 'done'] as const)
      t.is(dry[count], real[count], count);
    t.true(dry.dryRun);
  });

test('errors are read in pages of whole rows', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const wrong = Array.from({ length: 700 }, () => ({ a: 1, b: 2 }));
  const id = await upload(workspace, wrong);
  await ended(workspace, id);
  const read = (await pagesOf(workspace, id)).flatMap(({ errors }) => errors);
  const perRow = Map.groupBy(read, ({ row }) => row);
  t.is(perRow.size, 700);
  t.is(new Set([...perRow.values()].map((errors) => errors.length)).size, 1);
});

test('refused rows are kept with their texts, of any length and all characters, and no others', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const { import: created } = await workspace.call('imports.create', {});
  const importId = created.id;
  const header = { delimiter: ';' as const, columns: ['email', 'city'] };
  const append = (ordinal: number, rows: Rows, texts?: (string | null)[]) =>
    workspace.call('imports.append', { importId, ordinal, rows, ...(texts && { texts }), header });
  await append(
    0,
    [
      { row: 2, contact: { email: 'ada@example.com' } },
      { row: 3, contact: { email: 'b', 'c\0': 1, d: 1 } },
      { row: 4, problem: { code: 'malformed', message: 'x' } },
      { row: 5, contact: { email: 'not kept' } },
    ],
    ['ada@example.com;', 'b;\0\ud800', '"', null],
  );
  // Pages are bounded by the bytes of texts, as JSON has them.
  const long = '\u0001'.repeat(2_700);
  for (const chunk of [1, 2, 3]) {
    const rows = Array.from({ length: 30 }, (_, n) => ({ row: 30 * chunk + n, contact: {} }));
    await append(
      chunk,
      rows,
      rows.map(() => long),
    );
  }
  await append(4, [{ row: 200, contact: { email: 'x', name: 'y' } }]);
  await workspace.call('imports.finish', { importId, chunks: 5, total: 95 });
  t.like(await ended(workspace, importId), { created: 1, failed: 94 });
  const pages = await pagesOf(workspace, importId);
  t.true(pages.length > 1);
  for (const page of pages) {
    t.deepEqual(page.header, header);
    t.true(JSON.stringify(page).length < 800_000);
  }
  const kept = pages.flatMap(({ errors }) => errors).map(({ row, text }) => ({ row, text }));
  t.deepEqual(kept.slice(0, 5), [
    { row: 3, text: 'b;\u{FFFD}\u{FFFD}' },
    ...[3, 3].map((row) => ({ row, text: null })),
    { row: 4, text: '"' },
    { row: 5, text: '{"email":"not kept"}' },
  ]);
  t.deepEqual(
    kept.slice(5, -1),
    Array.from({ length: 90 }, (_, n) => ({ row: 30 + n, text: long })),
  );
  t.deepEqual(kept.at(-1), { row: 200, text: '{"email":"x","name":"y"}' });
});

test('a row has all of its errors, up to 20, and pages are bounded however long their names are', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${'\u0001'.repeat(450)}${n}`, 1]));
  const counts = [...Array.from({ length: 40 }, () => 30), 19, 20];
  const { import: created } = await workspace.call('imports.create', {});
  const id = created.id;
  // Single rows: several would exceed the largest message.
  for (const [at, count] of counts.entries())
    await workspace.call('imports.append', {
      ...{ importId: id, ordinal: at },
      rows: [{ row: at + 1, contact: names(count) }],
    });
  await workspace.call('imports.finish', {
    ...{ importId: id, chunks: counts.length, total: counts.length },
  });
  t.like(await ended(workspace, id), { failed: counts.length });
  const pages = await pagesOf(workspace, id);
  for (const page of pages) t.true(JSON.stringify(page).length < 1_000_000);
  const perRow = Map.groupBy(
    pages.flatMap(({ errors }) => errors),
    ({ row }) => row,
  );
  // The address that is missing is an error, too.
  t.deepEqual(
    [...perRow.values()].map(({ length }) => length),
    counts.map(() => 20),
  );
  const last = (row: number) => perRow.get(row)!.at(-1)!.message;
  t.is(last(1), 'is not a known field (further errors of this row are not listed)');
  t.is(last(41), 'is required');
  t.is(last(42), 'is not a known field (further errors of this row are not listed)');
});

async function pagesOf(workspace: Workspace, importId: string) {
  const pages: OutputOf<Operations['imports.list-errors']>[] = [];
  for (let after: number | null = 0; after !== null; after = pages.at(-1)!.next)
    pages.push(await workspace.call('imports.list-errors', { importId, after }));
  return pages;
}
