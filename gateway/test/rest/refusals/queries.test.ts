import test from 'ava';
import { problemIn } from '../../problem-document.js';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const contactPath = `/v1/contacts/${contactId}`;

test('accepts only digits as integers in a query, and rejects empty, repeated and unknown parameters', async (t) => {
  const inputOf = async (query: string) => {
    const response = await gateway().send(`/v1/contacts${query}`);
    t.is(response.status, 200, query);
    return gateway()
      .stubs.calls('contacts.list')
      .find(({ requestId }) => requestId === response.headers.get('x-request-id'))!.input;
  };
  t.deepEqual(await inputOf(''), { limit: 50, offset: 0 });
  t.deepEqual(await inputOf('?limit=10&offset=20'), { limit: 10, offset: 20 });
  t.deepEqual(await inputOf('?limit=1000'), { limit: 100, offset: 0 });
  t.deepEqual(await inputOf('?after=abc'), { limit: 50, offset: 0, after: 'abc' });
  for (const query of [
    'limit=abc',
    'limit=1e2',
    'limit=',
    'limit',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=0x10',
    'limit=%201',
    'limit=1&limit=2',
    'offset=-1',
    'offset=99999999999999999999',
    `after=${'x'.repeat(1001)}`,
    'page=2',
    '%zz=1',
  ]) {
    const problem = await problemIn(await gateway().send(`/v1/contacts?${query}`));
    t.is(problem.code, 'invalid', query);
    t.is(problem.errors!.length, 1, query);
  }
  for (const [query, message] of [
    ['limit=01', 'must be an integer in digits without leading zeros'],
    ['limit=+1', 'must be an integer in digits without leading zeros'],
    ['limit=9007199254740993', 'must be an integer from -9007199254740991 to 9007199254740991'],
    [`offset=${'9'.repeat(400)}`, 'must be an integer from -9007199254740991 to 9007199254740991'],
    ['limit=1&limit=2', 'must not be repeated'],
  ] as const) {
    const { errors } = await problemIn(await gateway().send(`/v1/contacts?${query}`));
    t.deepEqual(errors, [{ pointer: `/${query.split('=')[0]}`, message }], query);
  }
});

test('lists the first 100 errors of a query with thousands of parameters', async (t) => {
  const query = Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join('&');
  const { errors, detail } = await problemIn(await gateway().send(`/v1/contacts?${query}`));
  t.is(errors!.length, 100);
  t.regex(detail, /Only the first 100 are listed/);
});

test('an unknown query parameter is answered with those that the request takes', async (t) => {
  for (const [path, takes] of [
    ['/v1/contact-properties', 'limit, after'],
    ['/v1/audit-log', 'limit, after, action, actor, since'],
    [contactPath, 'include'],
    ['/v1/users/me', 'none'],
  ] as const) {
    const { errors } = await problemIn(await gateway().send(`${path}?expand=tags`));
    const message = `is not a known query parameter: this request takes ${takes}`;
    t.deepEqual(errors, [{ pointer: '/expand', message }]);
  }
});
