import test from 'ava';
import { problemIn } from '../../problem-document.js';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const json = { 'content-type': 'application/json' };
const contactPath = `/v1/contacts/${contactId}`;

test('lists every invalid field by JSON Pointer, including unknown fields and fields of the path', async (t) => {
  const response = await gateway().post('/v1/contacts', {
    email: 'no address',
    name: 7,
    tags: ['fine', ''],
    properties: { 'a/b~c': 'x', city: [3] },
    nickname: 'x',
  });
  const problem = await problemIn(response);
  t.is(problem.code, 'invalid');
  t.deepEqual(problem.errors!.map(({ pointer }) => pointer).toSorted(), [
    '/email',
    '/name',
    '/nickname',
    '/properties/a~1b~0c',
    '/properties/city',
    '/tags/1',
  ]);
  t.deepEqual((await problemIn(await gateway().post('/v1/contacts', {}))).errors, [
    { pointer: '/email', message: 'is required' },
  ]);
  const put = await gateway().send(contactPath, {
    method: 'PUT',
    headers: json,
    body: JSON.stringify({ contactId }),
  });
  t.deepEqual(
    (await problemIn(put)).errors!.map(({ pointer }) => pointer),
    ['/contactId'],
  );
});

test('lists the first 100 invalid fields, and says that there are more', async (t) => {
  const problemOf = async (body: object) =>
    problemIn(await gateway().post('/v1/contacts', { email: 'a@example.com', ...body }));
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, 1]));
  const many = await problemOf(unknown(101));
  t.is(many.errors!.length, 100);
  t.is(many.errors![99]!.pointer, '/field99');
  t.is(
    many.detail,
    '/field0 is not a known field. At least 100 more fields are invalid. Only the first 100 are listed.',
  );
  const few = await problemOf(unknown(100));
  t.is(few.errors!.length, 100);
  t.is(few.detail, '/field0 is not a known field. 99 more fields are invalid.');
  const two = await problemOf(unknown(2));
  t.is(two.detail, '/field0 is not a known field. 1 more field is invalid.');
  const hostile = await problemOf({ '\u001B[31m\r\n\u202E': 1 });
  t.is(hostile.errors![0]!.pointer, '/\u001B[31m\r\n\u202E');
  t.is(hostile.detail, '/\uFFFD[31m\uFFFD\uFFFD\uFFFD is not a known field.');
  const one = await problemOf({ email: 'a' });
  t.is(one.detail, `/email ${one.errors![0]!.message}.`);
  const nested = `{"email":"a@example.com","a":[${'{"__proto__":1},'.repeat(2_000)}1]}`;
  t.is((await problemIn(await gateway().post('/v1/contacts', nested))).errors!.length, 100);
});

test('objects and arrays with too many entries have one error, whatever their entries are', async (t) => {
  const properties = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`1p${n}`, 1]));
  const tags = Array.from({ length: 900 }, () => '');
  const body = { email: 'a@example.com', properties, tags };
  t.deepEqual((await problemIn(await gateway().post('/v1/contacts', body))).errors, [
    { pointer: '/tags', message: 'must have at most 100 entries' },
    { pointer: '/properties', message: 'must have at most 100 entries' },
  ]);
});

test('treats names of prototype members as ordinary fields, and rejects __proto__', async (t) => {
  const body =
    '{"email":"a@example.com","__proto__":{"x":1},"properties":{"__proto__":"x","constructor":"fine"}}';
  const problem = await problemIn(await gateway().post('/v1/contacts', body));
  t.deepEqual(problem.errors!.map(({ pointer }) => pointer).toSorted(), [
    '/__proto__',
    '/properties/__proto__',
  ]);
  const query = await problemIn(await gateway().send('/v1/contacts?__proto__=1&constructor=2'));
  t.deepEqual(
    query.errors!.map(({ pointer }) => pointer),
    ['/__proto__', '/constructor'],
  );
});
