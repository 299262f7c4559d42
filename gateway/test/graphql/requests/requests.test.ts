import test from 'ava';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

test('rejects requests with the status and headers of REST and a GraphQL body', async (t) => {
  const body = { query: '{ me { id } }' };
  const post = (init: RequestInit) => gateway().send('/graphql', { method: 'POST', ...init });
  const json = { 'content-type': 'application/json' };
  const cases: [Promise<Response>, number, string][] = [
    [
      fetch(`${gateway().url}/graphql`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: json,
      }),
      401,
      'unauthenticated',
    ],
    [post({ body: '{', headers: json }), 400, 'invalid_json'],
    [post({ body: '7', headers: json }), 400, 'invalid_json'],
    [post({ headers: json }), 400, 'invalid_json'],
    [
      post({ body: JSON.stringify(body), headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    ],
    [post({ body: ' '.repeat(128 * 1024 + 1), headers: json }), 413, 'payload_too_large'],
    [
      post({ body: JSON.stringify(body), headers: { ...json, 'idempotency-key': 'ä' } }),
      422,
      'invalid',
    ],
    [
      post({ body: JSON.stringify(Array.from({ length: 11 }, () => body)), headers: json }),
      400,
      'too_many_operations',
    ],
  ];
  for (const [sent, status, code] of cases) {
    const response = await sent;
    t.is(response.status, status, code);
    const { errors } = (await response.json()) as { errors: { extensions: object }[] };
    t.like(errors[0]!.extensions, { code, requestId: response.headers.get('x-request-id') });
  }
  const unauthenticated = await fetch(`${gateway().url}/graphql?query={me{id}}`);
  t.regex(unauthenticated.headers.get('www-authenticate')!, /^Bearer realm="Roster"/);
});

for (const type of ['application/json', 'application/graphql-response+json'])
  test(`a response has one Content-Type: ${type} if it is accepted`, async (t) => {
    const { headers } = await gateway().send('/graphql?query={me{id}}', {
      headers: { accept: type },
    });
    t.is(headers.get('content-type'), `${type}; charset=utf-8`);
  });

test('GET executes queries but not mutations', async (t) => {
  const get = (query: string, headers = {}) =>
    gateway().send(`/graphql?query=${encodeURIComponent(query)}`, { headers });
  t.is((await get('{ me { id } }')).status, 200);
  const mutation = await get(`mutation { updateMe(input: {name: "A"}) { user { id } } }`);
  t.is(mutation.status, 405);
  t.is(mutation.headers.get('allow'), 'POST');
});

test('answers a batch of ten operations in order', async (t) => {
  const operation = (name: string) => ({ query: `{ ${name}: me { id } }` });
  const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
  const response = await gateway().post('/graphql', names.map(operation));
  t.is(response.status, 200);
  const responses = (await response.json()) as { data: Record<string, object> }[];
  t.deepEqual(
    responses.map(({ data }) => Object.keys(data)[0]),
    names,
  );
});
