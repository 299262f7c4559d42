import { encodeId, operations } from '@roster/contracts';
import test from 'ava';
import fc from 'fast-check';
import { messagesOf, ndjsonRowsOf } from './read-rows.js';

test('each line is a contact, and empty lines count as lines', async (t) => {
  const file = '\uFEFF{"email":"a@example.com","properties":{"city":null}}\r\n\n{"tags":[]}';
  t.deepEqual(await ndjsonRowsOf(file), [
    { row: 1, contact: { email: 'a@example.com', properties: { city: null } } },
    { row: 3, contact: { tags: [] } },
  ]);
});

test('a line that cannot be read fails alone, and its content is not in the message', async (t) => {
  const lines = [
    '{"email": secret}',
    '[]',
    '7',
    `{"name":"${'x'.repeat(200_000)}"}`,
    `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
    `{"a":${'['.repeat(50)}${']'.repeat(50)}}`,
    `{"a":[${'1,'.repeat(5_000)}1]}`,
    '{"__proto__":{}}',
    '{"properties":{"__proto__":"x"}}',
    '{"name":"\xff"}',
    '{"email":"a@example.com"}',
  ];
  const rows = await ndjsonRowsOf(Buffer.from(lines.join('\n'), 'latin1'));
  t.deepEqual(messagesOf(rows), [
    'is not valid JSON',
    'must be a JSON object',
    'must be a JSON object',
    'is longer than 131072 bytes',
    'is nested too deeply',
    'is nested too deeply',
    'has more than 5000 JSON values',
    'is not a known field',
    'is not an allowed name',
    'is not valid UTF-8',
    undefined,
  ]);
});

test('what is reported of a row fits a call of the service, however long its names are', async (t) => {
  const name = '\u{1F600}'.repeat(1_000);
  const rows = await ndjsonRowsOf(`{"properties":{"${name}":{"__proto__":1}}}\n{}`);
  const importId = encodeId('import', '01890000-0000-7000-8000-000000000000');
  const input = { importId, ordinal: 0, rows };
  t.true(operations['imports.append'].input.safeParse(input).success);
});

test('a file gives the same rows however its bytes arrive', async (t) => {
  const property = fc.asyncProperty(
    fc.array(fc.dictionary(fc.constantFrom('email', 'name'), fc.string({ unit: 'binary' })), {
      maxLength: 8,
    }),
    fc.array(fc.nat(400), { maxLength: 8 }),
    async (contacts, ends) => {
      const file = contacts.map((contact) => `${JSON.stringify(contact)}\n`).join('');
      const rows = await ndjsonRowsOf(file, ends);
      t.deepEqual(
        rows.map((row) => JSON.stringify('contact' in row && row.contact)),
        contacts.map((contact) => JSON.stringify(contact)),
      );
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
