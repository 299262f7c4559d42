import { operations } from '@roster/contracts';
import type { FieldError } from '@roster/contracts';
import test from 'ava';
import { queryReader } from '../../rest/read-query.js';

const { input: schema } = operations['contacts.list'];
const read = queryReader(schema, Object.keys(schema.shape));

function readQuery(query: string) {
  const input: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  read(`/v1/contacts?${query}`, input, errors);
  return { input, errors: errors.map(({ pointer, message }) => `${pointer} ${message}`) };
}

test('a repeated parameter is an array, and one with names in brackets an object', (t) => {
  const { input, errors } = readQuery(
    'limit=5&tag=vip&tag=a%26b&property[city]=Paris&property%5Bplan%5D=&status=subscribed',
  );
  t.deepEqual(errors, []);
  const { property, ...others } = input;
  t.deepEqual(others, { limit: 5, tag: ['vip', 'a&b'], status: 'subscribed' });
  t.deepEqual(Object.entries(property as object), [
    ['city', 'Paris'],
    ['plan', ''],
  ]);
});

test('names in brackets are unknown for other parameters, and required for objects', (t) => {
  const names = ['status[a]', 'property[a', 'property[a][b]', 'tag[]', '[a]'];
  for (const name of names)
    t.regex(readQuery(`${name}=x`).errors.join(), / is not a known query parameter: /, name);
  t.regex(readQuery('property=x').errors.join(), /must be name:value/);
});

test('an entry of an object is name:value, in either form', (t) => {
  const { input, errors } = readQuery(
    'property=city:Paris&property=url:a:b&property[plan]=&property=x:',
  );
  t.deepEqual(errors, []);
  t.deepEqual(Object.entries(input['property'] as object), [
    ['city', 'Paris'],
    ['url', 'a:b'],
    ['plan', ''],
    ['x', ''],
  ]);
  const repeated = readQuery('property=city:a&property[city]=b&property=city:c&property=plan:d');
  t.deepEqual(repeated.errors, []);
  t.deepEqual(Object.entries(repeated.input['property'] as object), [
    ['city', ['a', 'b', 'c']],
    ['plan', 'd'],
  ]);
  t.deepEqual(readQuery('property=__proto__:a').errors, ['/property is not an allowed name']);
});

test('in the names of columns, the last colon ends the name', (t) => {
  const upload = operations['imports.create'].input;
  const input: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  queryReader(upload, ['map'])('/?map=E-mail:%201:email&map=Note:&map[x:y]=name', input, errors);
  t.deepEqual(errors, []);
  t.deepEqual(Object.entries(input['map'] as object), [
    ['E-mail: 1', 'email'],
    ['Note', ''],
    ['x:y', 'name'],
  ]);
});

test('a timestamp whose + was not encoded is explained', (t) => {
  t.deepEqual(readQuery('createdAfter=2026-01-31T09:00:00+01:00').errors, [
    '/createdAfter has a space: write the + of an offset as %2B',
  ]);
  t.deepEqual(readQuery('createdAfter=2026-01-31T09:00:00%2B01:00').errors, []);
  t.deepEqual(readQuery('q=T9+12:30').errors, []);
});

test('other parameters, and entries of objects of one value each, must not be repeated', (t) => {
  t.deepEqual(readQuery('q=a&q=b').errors, ['/q must not be repeated']);
  const errors: FieldError[] = [];
  queryReader(operations['imports.create'].input, ['map'])('/?map=a:x&map=a:y', {}, errors);
  t.deepEqual(errors, [{ pointer: '/map', message: 'must not be repeated' }]);
});

test('names that schemas ignore are refused', (t) => {
  t.deepEqual(readQuery('property[__proto__]=x&property[city]=Paris').errors, [
    '/property[__proto__] is not an allowed name',
  ]);
});

test('text that is not UTF-8 is refused, not modified', (t) => {
  const { input, errors } = readQuery('tag=%ff&q=a%ed%a0%80&property[city]=%c3&tag=%C3%A9');
  t.deepEqual(errors, [
    '/tag must be percent-encoded UTF-8',
    '/q must be percent-encoded UTF-8',
    '/property[city] must be percent-encoded UTF-8',
  ]);
  t.deepEqual(Object.keys(input), ['tag', 'q', 'property'], 'none is reported as missing too');
  t.deepEqual(readQuery('q=%EF%BF%BD&tag=%&tag=%zz').input, { q: '\uFFFD', tag: ['%', '%zz'] });
});

test('reads text that is not UTF-8 in a time that is proportional to its length', (t) => {
  // In a time proportional to the square of the length, the test would end by its time limit.
  const { errors } = readQuery(`tag=%ff&${'tag=%C3%A9&'.repeat(100_000)}`);
  t.is(errors.length, 1);
});
