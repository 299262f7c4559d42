import test from 'ava';
import { jsonbText } from '../writing/jsonb-text.js';
import { contactsFor } from './running-contacts.js';

const running = contactsFor(test);

const names = [
  '',
  'b',
  'a',
  'aa',
  'B',
  'é',
  'zz',
  'ſ',
  '日',
  '🙂',
  '\u{FFFD}',
  'a"',
  'a\\',
  'a\n',
  '10',
  '9',
];
const texts = [
  ...names,
  '\u{1}\u{1F}\u{7F}\u{80}',
  '\b\f\t\r/<>&',
  '\u{2028}\u{2029}',
  '\u{10FFFF}',
];

const numbers = [0, -0, 1, -1.5, 12.25, 1e-6, 1.5e-7, -1e-7, 5e-324, 2 ** 53 - 1, 1e15, 0.1 + 0.2];

test('the text of tags and properties is that of the database, byte for byte', async (t) => {
  const values = [
    ...[[], {}, ['a'], texts],
    Object.fromEntries(names.map((name, n) => [name, texts[n]!])),
    Object.fromEntries(texts.map((text) => [text, text])),
    { yes: true, no: false },
    Object.fromEntries(numbers.map((number, n) => [`n${n}`, number])),
  ];
  for (const value of values) {
    const [row] = await running().database.query<{ text: string }>(
      { name: 'test.jsonb-text', text: 'select $1::jsonb::text as text' },
      [JSON.stringify(value)],
    );
    t.is(jsonbText(value), row!.text);
  }
});
