import { importLimits, type CallInputOf, type Operations } from '@roster/contracts';
import fc from 'fast-check';
import test from 'ava';
import { contactsFor, create, newWorkspace } from '../running-contacts.js';
import { contentsOf, ended, startRunner, type Rows } from './running-imports.js';

const running = contactsFor(test);

const text = fc.constantFrom('', 'x', 'Ada', '\0', ' spaces ', 'y'.repeat(300));
const contact = fc.record(
  {
    email: fc.constantFrom(
      ...['new@example.com', 'NEW@example.com', 'existing@example.com', 'out@example.com'],
      ...['bad', '', 1, 'a@b@c', 'other@example.com'],
    ),
    name: fc.oneof(text, fc.constant(null)),
    tags: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant('x')),
    status: fc.constantFrom('subscribed', 'unsubscribed', 'other'),
    properties: fc.dictionary(fc.constantFrom('city', 'CITY', 'plan', 'a.b', '1'), text),
    id: fc.constant('cont_x'),
    color: fc.constant('red'),
  },
  { requiredKeys: [] },
);
const problem = fc.constantFrom(
  { code: 'malformed' as const, message: 'has 2 cells instead of 3' },
  { code: 'invalid' as const, pointer: '/tags', message: 'must be different' },
);
const rowsOf = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ contact }) },
    fc.record({ problem }),
    fc.constant({ contact: { email: 'out@example.com', status: 'subscribed' } }),
  ),
  { minLength: 1, maxLength: importLimits.previewRows },
);

for (const mode of ['upsert', 'skip'] as const)
  for (const strictProperties of [false, true])
    test(`rows of a preview have the errors of a dry run, and nothing is changed (${mode}, ${strictProperties ? 'strict' : 'any'} properties)`, async (t) => {
      const workspace = newWorkspace(running().bus);
      startRunner(t, running().service);
      await create(workspace, 'existing@example.com', { properties: { city: 'Rome' } });
      const { contact: out } = await workspace.call('contacts.create', {
        email: 'out@example.com',
      });
      await workspace.call('contacts.unsubscribe', { contactId: out.id });
      await workspace.call('settings.update', { strictProperties });
      const before = await contentsOf(running(), workspace);
      const seen = new Set<string>();
      await fc.assert(
        fc.asyncProperty(rowsOf, async (contents) => {
          const rows = contents.map((one, at) => ({ row: at + 2, ...one })) as Rows;
          const { preview } = await workspace.call('imports.preview', { mode, rows });
          const { import: created } = await workspace.call('imports.create', {
            mode,
            dryRun: true,
          });
          const importId = created.id;
          await workspace.call('imports.append', { importId, ordinal: 0, rows });
          await workspace.call('imports.finish', { importId, chunks: 1, total: rows.length });
          await ended(workspace, importId);
          const { errors } = await workspace.call('imports.list-errors', { importId });
          t.deepEqual(
            preview.rows.flatMap(({ row, errors: ofRow }) => ofRow.map((one) => ({ row, ...one }))),
            errors.map(({ row, pointer, code, message }) => ({ row, pointer, code, message })),
          );
          t.deepEqual(
            preview.rows.map(({ row, contact: shown }) => [row, shown === null]),
            rows.map((row) => [row.row, 'problem' in row]),
          );
          for (const { code } of errors) seen.add(code);
        }),
        { numRuns: 40 },
      );
      t.true(seen.has('invalid') && seen.has('malformed'));
      if (mode === 'upsert') t.true(seen.has('not_resubscribed'));
      const { ends: _, ...after } = await contentsOf(running(), workspace);
      const { ends: __, ...former } = before;
      t.deepEqual(after, former);
      const { properties } = await workspace.call('contact-properties.list', {});
      t.deepEqual(
        properties.map(({ name }) => name),
        ['city'],
      );
    });

test('a preview shows contacts as they are stored, and those that are refused as they are in the file', async (t) => {
  const workspace = newWorkspace(running().bus);
  const preview = async (input: CallInputOf<Operations['imports.preview']>) =>
    (await workspace.call('imports.preview', input)).preview;
  const { format, rows } = await preview({
    format: 'ndjson',
    rows: [
      { row: 1, contact: { email: 'a@example.com', tags: ['b', 'b'], id: 'x', version: 3 } },
      { row: 2, contact: { email: 'bad', id: 'x' } },
    ],
  });
  t.is(format, 'ndjson');
  t.deepEqual(
    rows.map(({ contact: shown }) => shown),
    [
      { email: 'a@example.com', tags: ['b'] },
      { email: 'bad', id: 'x' },
    ],
  );
  t.deepEqual((await preview({})).rows, []);
});

test('a preview of CSV shows the values that are stored of typed properties, and texts that are none with their errors', async (t) => {
  const workspace = newWorkspace(running().bus);
  startRunner(t, running().service);
  for (const type of ['number', 'boolean', 'date'] as const)
    await workspace.call('contact-properties.create', { name: type, label: type, type });
  const cells = [
    { number: ' 1.50', boolean: 'YES', date: ' 2026-01-31', text: '12' },
    { number: '12', boolean: 'maybe', date: '2026-02-30', text: 'true' },
  ];
  const rows = cells.map((properties, at) => ({
    row: at + 2,
    contact: { email: `${at}@example.com`, properties },
  })) as Rows;
  const { preview } = await workspace.call('imports.preview', { format: 'csv', rows });
  const stored = { number: 1.5, boolean: true, date: '2026-01-31', text: '12' };
  t.deepEqual(
    preview.rows.map(({ contact: shown }) => shown?.['properties']),
    [stored, { ...cells[1], number: 12 }],
  );
  t.deepEqual(
    preview.rows.map(({ errors }) => errors.map(({ pointer }) => pointer)),
    [[], ['/properties/boolean', '/properties/date']],
  );
  const { import: created } = await workspace.call('imports.create', { format: 'csv' });
  const importId = created.id;
  await workspace.call('imports.append', { importId, ordinal: 0, rows });
  await workspace.call('imports.finish', { importId, chunks: 1, total: rows.length });
  t.like(await ended(workspace, importId), { created: 1, failed: 1 });
  const { contacts } = await workspace.call('contacts.list', {});
  t.deepEqual(contacts[0]!.properties, stored, 'as the import stores them');
});
