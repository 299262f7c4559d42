import { nameWords, uuidOf } from '@roster/contracts';
import { sqlOf } from '@roster/storage';
import test from 'ava';
import { CreateOwnSearch } from '../migrations/2026-11-27-own-search.js';
import { contactsFor, create, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

const run = <Row = { text: string }>(text: string, values: unknown[] = []) =>
  running().database.query<Row>({ name: text, text }, values);

async function emailsFor(workspace: Workspace, q: string): Promise<string[]> {
  const { contacts } = await workspace.call('contacts.find', { limit: 50, q });
  return contacts.map(({ email }) => email);
}

const names: [string, string[], string[]][] = [
  ['Ada Lovelace', ['ada', 'LOVE', 'ada lov', 'lovelace, ada', 'love ada'], ['velace', 'ada x']],
  ['山田　太郎', ['太郎', '山田', '山'], ['田']],
  ['Müller–Schmidt', ['schmidt', 'müller', 'MU\u0308LLER'], ['muller']],
  ['L’Oréal', ['oréal', 'l’oréal', "l'oréal"], ['oreal']],
  ['“Bob” Smith', ['bob', '“bob”'], []],
  ['Smith/Jones Ltd', ['jones', 'smith/jones'], []],
  ['Bell <Anna>', ['anna', '<anna>'], []],
  ['हिन्दी प्रेमी', ['हिन्दी', 'प्रेमी', 'हि'], ['दी']],
  ['ΟΔΥΣΣΕΥΣ', ['οδυσσευς', 'οδυσσευσ', 'Οδυσσεύς'.normalize('NFD').replaceAll('\u0301', '')], []],
  ['ＡＤＡ ﾀﾛｳ', ['ada', 'タロウ'], []],
  ['Straße 12', ['STRAẞE', '12'], ['strasse']],
  ['İpek Işık', ['İPEK', 'işık'], []],
  ["O'Brien-Müller (Q2)", ['brien', "o'brien", 'q2'], ['obrien']],
  // Each of them is six letters.
  ['㌖'.repeat(256), ['キロメートル', '㌖'.repeat(254)], []],
  ['𐐀𐐁 Deseret', ['𐐨𐐩'], []],
];

test('a name is found by the beginnings of its words, in any script, order, case and composition', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (const [n, [name]] of names.entries()) await create(workspace, `${n}@x.test`, { name });
  for (const [n, [name, finding, others]] of names.entries()) {
    for (const q of finding)
      t.true((await emailsFor(workspace, q)).includes(`${n}@x.test`), `${name} by ${q}`);
    for (const q of others)
      t.false((await emailsFor(workspace, q)).includes(`${n}@x.test`), `${name} not by ${q}`);
  }
});

const addresses: [string, string[], string[]][] = [
  [
    'Ada.Lovelace@acme.com',
    ['@acme.com', 'ACME', 'velac', 'ace@', 'ad', '.com', 'a.l'],
    ['ce', 'x.l'],
  ],
  ['o_brien+100%@mail-1.example', ['o_b', '_bri', '+100', '00%', '100%@m'], ['o_r', '100_']],
  ['jose\u0301@exämple.test', ['JOSÉ', 'osé@', '@xn--exmple-cua', '@exä', 'xämp'], ['ose@']],
  ['用户名@例え.test', ['用户名', '户名@', '用', '@例え.test'], ['户名']],
];

test('an address is found by any part of three characters, and by its beginning', async (t) => {
  const workspace = newWorkspace(running().bus);
  for (const [email] of addresses) await create(workspace, email);
  for (const [email, finding, others] of addresses) {
    for (const q of finding) t.deepEqual(await emailsFor(workspace, q), [email], q);
    for (const q of others) t.false((await emailsFor(workspace, q)).includes(email), q);
  }
  // Nothing that the index could find.
  t.deepEqual(await emailsFor(workspace, '...'), []);
});

test('a contact is found by its present address and name only', async (t) => {
  const workspace = newWorkspace(running().bus);
  const { contact } = await create(workspace, 'old@former.test', { name: 'Old' });
  const contactId = contact.id;
  await workspace.call('contacts.update', { contactId, email: 'new@later.test', name: 'New' });
  t.deepEqual(await emailsFor(workspace, 'former'), []);
  t.deepEqual(await emailsFor(workspace, 'later'), ['new@later.test']);
  t.deepEqual(await emailsFor(workspace, 'old'), []);
  await workspace.call('contacts.update', { contactId, tags: ['x'] });
  t.deepEqual(await emailsFor(workspace, 'new'), ['new@later.test']);
  await workspace.call('contacts.delete', { contactId });
  const rows = await run('select 1 as text from contacts.addresses where workspace_id = $1', [
    uuidOf('workspace', workspace.id),
  ]);
  t.deepEqual(rows, []);
});

test('names that the former release writes have the words that the service computes', async (t) => {
  const { id } = newWorkspace(running().bus);
  const insert = (n: number, name: string) =>
    run(
      `insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
       values ($1, gen_random_uuid(), $2, $2, $3, '[]', '{}', now())`,
      [uuidOf('workspace', id), `${n}@x.test`, name],
    );
  const haveOwnWords = async () => {
    const rows = await run<{ name: string; words: string[] }>(
      'select name, tsvector_to_array(name_words) as words from contacts.contacts where workspace_id = $1',
      [uuidOf('workspace', id)],
    );
    t.is(rows.length, names.length);
    for (const { name, words } of rows)
      t.deepEqual(words.toSorted(), nameWords(name).split(' ').toSorted(), name);
  };
  for (const [n, [name]] of names.entries()) await insert(n, name);
  await haveOwnWords();
  await run(`update contacts.contacts set name = name || ' ÉMILE' where workspace_id = $1`, [
    uuidOf('workspace', id),
  ]);
  await haveOwnWords();
});

/** All characters that are no ideographs or syllables, each as the second of a word. */
function* characters(): Generator<string> {
  for (let code = 1; code < 0xe_01f0; code = code === 0x2_ffff ? 0xe_0000 : code + 1) {
    const character = String.fromCodePoint(code);
    if (/[\p{Lo}\p{Cn}\p{Co}\p{Cs}]/u.test(character) ? code % 50 === 0 && code < 0xd800 : true)
      yield character;
  }
}

test('the database divides and folds every character as the service does', async (t) => {
  // Those that the Unicode of PostgreSQL has as well.
  const known = await run<{ text: string }>(
    'select text from unnest($1::text[]) text where unicode_assigned(text)',
    [[...characters()]],
  );
  const all = known.map(({ text }) => text);
  t.true(all.length > 15_000);
  const texts = Array.from({ length: Math.ceil(all.length / 100) }, (_, n) =>
    all
      .slice(n * 100, n * 100 + 100)
      .map((character, at) => `a${at}${character}b`)
      .join(' '),
  );
  const rows = await run<{ n: number; words: string[]; own: string[] }>(
    `select n::int, tsvector_to_array(contacts.name_words(text)) as words, tsvector_to_array(own::tsvector) as own
     from unnest($1::text[], $2::text[]) with ordinality as x (text, own, n) order by n`,
    [texts, texts.map((text) => nameWords(text))],
  );
  for (const { words, own, n } of rows) t.deepEqual(words, own, texts[n - 1]);
});

test('the migration completes contacts of the former release, and can be repeated', async (t) => {
  const workspace = newWorkspace(running().bus);
  await create(workspace, 'ada@acme.com', { name: 'Ada “Countess” Lovelace' });
  const { statements } = await sqlOf({ name: 'own-search', class: CreateOwnSearch });
  await run('delete from contacts.addresses where workspace_id = $1', [
    uuidOf('workspace', workspace.id),
  ]);
  const complete = statements.find((statement) => statement.includes('loop'))!;
  await running().database.em.execute(complete);
  t.deepEqual(await emailsFor(workspace, '@acme'), ['ada@acme.com']);
  t.deepEqual(await emailsFor(workspace, 'countess'), ['ada@acme.com']);
});
