import test from 'ava';
import { contactPosition, encodeId, operations, propertyPosition, uuidOf } from '../index.js';

const create = operations['contacts.create'].input;
const update = operations['contacts.update'].input;
const placed = {
  id: encodeId('contact', '019b76da-a800-7000-8888-888888888888'),
  email: '',
  name: '',
  updatedAt: '',
  properties: {},
};
const accepts = (schema: { safeParse(input: unknown): { success: boolean } }, input: unknown) =>
  schema.safeParse(input).success;

test('accepts valid email addresses and does not change them', (t) => {
  for (const email of [
    'a@b.co',
    'Ada.Lovelace+news@Example.COM',
    "o'brien@example.ie",
    'user!#$%&*/=?^_`{|}~-@example.org',
    'δοκιμή@παράδειγμα.ελ',
    '用户@例え.jp',
    `${'a'.repeat(64)}@example.com`,
  ]) {
    t.is(create.parse({ email }).email, email);
  }
});

test('rejects invalid email addresses', (t) => {
  const wrong = [
    '',
    'a',
    'a@',
    '@b.co',
    'a@b',
    'a b@c.de',
    'a@b..de',
    '.a@b.de',
    'a.@b.de',
    'a..b@c.de',
    'a@-b.de',
    'a@b.d',
    'a@b.de\n',
    'a\0@b.de',
    'a\ud800@b.de',
    `${'a'.repeat(65)}@b.de`,
    `a@${'b.'.repeat(130)}de`,
    `${'ü'.repeat(60)}@${'ü'.repeat(60)}.${'ü'.repeat(60)}.de`,
    'Ada <ada@example.com>',
    'a@b.de,c@d.de',
  ];
  t.deepEqual(
    wrong.filter((email) => accepts(create, { email })),
    [],
  );
});

test('counts code points, and rejects text that PostgreSQL cannot store', (t) => {
  const email = 'a@example.com';
  t.true(accepts(create, { email, name: '👩'.repeat(256) }));
  t.false(accepts(create, { email, name: '👩'.repeat(257) }));
  t.false(accepts(create, { email, name: 'nul\0' }));
  t.false(accepts(create, { email, name: 'lone \ud83d' }));
  t.true(accepts(create, { email, properties: { key: 'v'.repeat(4096) } }));
  t.false(accepts(create, { email, properties: { key: 'v'.repeat(4097) } }));
});

test('removes duplicate tags and preserves their order', (t) => {
  t.deepEqual(create.parse({ email: 'a@example.com', tags: ['b', 'a', 'b'] }).tags, ['b', 'a']);
  t.false(accepts(create, { email: 'a@example.com', tags: [''] }));
  t.false(
    accepts(create, {
      email: 'a@example.com',
      tags: Array.from({ length: 101 }, (_, n) => `t${n}`),
    }),
  );
});

test('rejects invalid property names, and null values only on creation', (t) => {
  const email = 'a@example.com';
  for (const name of ['', '1a', 'a-b', 'a b', 'ä', `a${'b'.repeat(64)}`]) {
    t.false(accepts(create, { email, properties: { [name]: 'x' } }), name);
  }
  t.false(accepts(create, { email, properties: { a: null } }));
  t.true(
    accepts(update, { contactId: 'cont_01h455vb4pex5vsknk084sn02q', properties: { a: null } }),
  );
});

test('properties named __proto__ or constructor do not change the prototype', (t) => {
  const input = JSON.parse('{"email":"a@example.com","properties":{"constructor":"x"}}') as unknown;
  t.deepEqual(Object.entries(create.parse(input).properties), [['constructor', 'x']]);
  const { properties } = create.parse(
    JSON.parse('{"email":"a@example.com","properties":{"__proto__":{"x":1}}}'),
  );
  t.is((properties as { x?: unknown }).x, undefined);
});

test('reduces a limit above 100 to 100', (t) => {
  const list = operations['contacts.list'].input;
  t.is(list.parse({ limit: 5000 }).limit, 100);
  t.false(accepts(list, { limit: 0 }));
  t.false(accepts(list, { offset: -1 }));
});

test('bounds the bytes of properties as JSON, and names the actual and the allowed number', (t) => {
  const email = 'a@example.com';
  const full = (bytes: number) => {
    const properties: Record<string, string> = {};
    for (let n = 10; n < 12; n += 1) properties[`p${n}`] = 'v'.repeat(4000);
    properties['rest'] = '';
    properties['rest'] = 'v'.repeat(bytes - JSON.stringify(properties).length);
    return properties;
  };
  t.true(accepts(create, { email, properties: full(10_000) }));
  const refused = create.safeParse({ email, properties: full(10_001) });
  t.deepEqual(
    refused.error?.issues.map(({ path, message }) => ({ path, message })),
    [{ path: ['properties'], message: 'must be at most 10000 bytes of JSON, not 10001' }],
  );
  const contactId = 'cont_01h455vb4pex5vsknk084sn02q';
  t.false(accepts(update, { contactId, properties: full(10_001) }));
  const escaped = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, '\u0001'.repeat(4000)]));
  t.false(accepts(create, { email, properties: escaped }), 'an escape has six bytes');
  const wide = Object.fromEntries(
    Array.from({ length: 8 }, (_, n) => [`p${n}`, '\u4e2d'.repeat(3000)]),
  );
  t.false(accepts(create, { email, properties: wide }), 'a character may have three');
});

test('a cursor of the order by email is accepted for the longest address', (t) => {
  // Each İ has 2 bytes, and 3 in lower case.
  const email = `${'İ'.repeat(64)}@${'a'.repeat(63)}.${'b'.repeat(57)}.com`;
  t.is(Buffer.byteLength(email), 254);
  t.true(accepts(create, { email }));
  const after = contactPosition.of('email', { ...placed, email });
  t.true(accepts(operations['contacts.find'].input, { limit: 1, sort: 'email', after }));
});

test('a cursor of the order by a property is accepted for the longest name and value, and is of this order only', (t) => {
  const name = `p${'x'.repeat(63)}`;
  for (const value of [
    '\u0001'.repeat(4096),
    '\u{1F600}'.repeat(4096),
    -5e-324,
    false,
    undefined,
  ]) {
    const properties = value === undefined ? {} : { [name]: value };
    const sort = `-property:${name}` as const;
    const after = contactPosition.of(sort, { ...placed, properties });
    t.true(accepts(operations['contacts.find'].input, { limit: 1, sort, after }));
    const key = contactPosition.read(sort, after)!;
    const known = typeof value === 'string' ? [...value].slice(0, 100).join('') : value;
    t.deepEqual(propertyPosition.read(sort, key), {
      id: uuidOf('contact', placed.id),
      value: known,
    });
    t.is(contactPosition.read(`property:${name}`, after), undefined);
    t.is(propertyPosition.read(`-property:${name}x`, key), undefined);
  }
});

test('a cursor that was made up is none of the order by a property', (t) => {
  const { id } = placed;
  for (const key of [
    '',
    '[',
    'null',
    '{}',
    `["a","${id}","\\ud800"]`,
    `["a","${id}","\\u0000"]`,
    `["a","${id}",1e999]`,
    `["a","${id}",null]`,
    `["a","${id}",1,2]`,
    `["a", "${id}"]`,
    '["a","cont_x"]',
    '["a"]',
  ])
    t.is(propertyPosition.read('property:a', key), undefined, key);
  t.deepEqual(propertyPosition.read('property:a', `["a","${id}"]`), {
    id: uuidOf('contact', id),
    value: undefined,
  });
});

test('an order is by a field, or by a property whose name is valid', (t) => {
  const { sort } = operations['contacts.list'].input.shape;
  for (const valid of ['name', '-updatedAt', 'property:age', '-property:email', 'property:A_1'])
    t.true(accepts(sort, valid), valid);
  for (const wrong of [
    '',
    'age',
    'property:',
    'property:1',
    'property:a b',
    '--property:a',
    'properties:a',
    `property:${'a'.repeat(65)}`,
  ])
    t.false(accepts(sort, wrong), wrong);
});
