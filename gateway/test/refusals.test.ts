import { encodeId, notFound } from '@roster/contracts';
import test from 'ava';
import { hash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { problemIn } from './problem-document.js';
import { contactId, webhookId } from './stub-services.js';
import { bearer, testGateway, type TestGateway } from './test-gateway.js';

let gateway: TestGateway;
test.before(async () => void (gateway = await testGateway()));
test.after.always(() => gateway.close());

const json = { 'content-type': 'application/json' };
const contactPath = `/v1/contacts/${contactId}`;

test('unknown paths are 404, known paths with another method 405 with Allow, both before the key is looked at', async (t) => {
  for (const path of [
    '/v1/contact',
    '/v1/contacts/',
    '/V1/contacts',
    '/v2/contacts',
    '//v1/contacts',
    '/v1/contacts/a/b',
    '/%',
    '/v1/%zz',
  ]) {
    t.is((await problemIn(await fetch(gateway.url + path))).code, 'not_found', path);
  }
  const allowOf = async (method: string, path: string) => {
    const response = await fetch(gateway.url + path, { method });
    t.is((await problemIn(response.clone())).code, 'method_not_allowed');
    return response.headers.get('allow');
  };
  t.is(await allowOf('PATCH', '/v1/contacts'), 'GET, HEAD, POST');
  t.is(await allowOf('OPTIONS', contactPath), 'DELETE, GET, HEAD, PUT');
  t.is(await allowOf('GET', '/v1/users'), 'POST');
  t.is(await allowOf('DELETE', '/v1/users/me'), 'GET, HEAD, PUT');
  t.is(await allowOf('GET', `${contactPath}/unsubscribe`), 'POST');
  t.is(await allowOf('POST', '/v1/openapi.json'), 'GET, HEAD');
});

test('a request without a key learns the scheme, one with a bad key that it is invalid; only a well-formed key is looked up', async (t) => {
  const challengeOf = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}/v1/contacts`, { headers });
    t.is((await problemIn(response.clone())).code, 'unauthenticated');
    return response.headers.get('www-authenticate')!;
  };
  const { apiKey } = gateway.stubs.makeKey();
  const typo = apiKey.slice(0, 10) + (apiKey[10] === 'a' ? 'b' : 'a') + apiKey.slice(11);
  const lookUps = (key: string) => {
    const sha256 = hash('sha256', key);
    return gateway.stubs
      .calls('keys.verify')
      .filter(({ input }) => (input as { sha256: string }).sha256 === sha256).length;
  };
  t.is(await challengeOf({}), 'Bearer realm="Roster"');
  for (const authorization of [
    'Basic cm9zdGVy',
    'Bearer',
    `Token ${apiKey}`,
    apiKey,
    `Bearer ${apiKey} ${apiKey}`,
  ]) {
    t.is(await challengeOf({ authorization }), 'Bearer realm="Roster"');
  }
  for (const wrong of [typo, `${apiKey}x`, 'rsk_', 'null']) {
    t.regex(
      await challengeOf(bearer(wrong)),
      /^Bearer realm="Roster", error="invalid_token", error_description="/,
    );
  }
  t.is(lookUps(typo), 0);
  const unknown = gateway.stubs.makeKey();
  gateway.stubs.revoke(unknown);
  t.regex(await challengeOf(bearer(unknown.apiKey)), /error="invalid_token"/);
  t.is(lookUps(unknown.apiKey), 1);
  t.is(
    (await fetch(`${gateway.url}/v1/contacts`, { headers: { authorization: `bearer  ${apiKey}` } }))
      .status,
    200,
  );
});

test('checks come in order: key, scope, media type, size, JSON, schema', async (t) => {
  const { apiKey } = gateway.stubs.makeKey({ scopes: ['user'] });
  const codeOf = async (path: string, headers: Record<string, string>, body: string) =>
    (await problemIn(await fetch(gateway.url + path, { method: 'POST', headers, body }))).code;
  const huge = ' '.repeat(2 * 1024 * 1024);
  t.is(await codeOf('/v1/contacts', { 'content-type': 'text/csv' }, huge), 'unauthenticated');
  t.is(
    await codeOf('/v1/contacts', { ...bearer(apiKey), 'content-type': 'text/csv' }, huge),
    'insufficient_scope',
  );
  t.is(
    await codeOf('/v1/users', { ...bearer(apiKey), 'content-type': 'text/csv' }, huge),
    'unsupported_media_type',
  );
  t.is(await codeOf('/v1/users', { ...bearer(apiKey), ...json }, huge), 'payload_too_large');
  t.is(await codeOf('/v1/users', { ...bearer(apiKey), ...json }, '{"email":'), 'invalid_json');
  t.is(await codeOf('/v1/users', { ...bearer(apiKey), ...json }, '{"email":1}'), 'invalid');
});

test('bodies are application/json in UTF-8, uncompressed', async (t) => {
  const body = { email: 'a@example.com' };
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
  ]) {
    t.is((await gateway.post('/v1/contacts', body, { 'content-type': type })).status, 201, type);
  }
  const wrong = [
    'text/plain',
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json, text/plain',
  ];
  for (const type of wrong) {
    const problem = await problemIn(
      await gateway.post('/v1/contacts', body, { 'content-type': type }),
    );
    t.is(problem.code, 'unsupported_media_type', type);
  }
  t.is(
    (await problemIn(await gateway.post('/v1/contacts', body, { 'content-encoding': 'gzip' })))
      .code,
    'unsupported_media_type',
  );
  const bytes = Buffer.concat([
    Buffer.from('{"email":"a@example.com","name":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  const problem = await problemIn(
    await gateway.send('/v1/contacts', { method: 'POST', headers: json, body: bytes }),
  );
  t.like(problem, { code: 'invalid_json', detail: 'The body is not valid UTF-8.' });
});

test('a body over the limit is refused by its announced length, and cut off while it arrives in chunks', async (t) => {
  t.is(
    (await problemIn(await gateway.post('/v1/contacts', 'x'.repeat(1024 * 1024 + 1)))).code,
    'payload_too_large',
  );
  t.is(
    (await problemIn(await gateway.post('/v1/contacts', 'x'.repeat(1024 * 1024)))).code,
    'invalid_json',
  );
  const { apiKey } = gateway.stubs.makeKey();
  const sent = request(`${gateway.url}/v1/contacts`, {
    method: 'POST',
    headers: { ...bearer(apiKey), ...json },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.statusCode!));
    sent.on('error', reject);
  });
  // Never ended: the answer cannot have waited for the end.
  for (let at = 0; at < 20; at += 1) sent.write(' '.repeat(64 * 1024));
  t.is(await answered, 413);
  sent.on('error', () => {});
  sent.destroy();
});

test('every wrong field is named by JSON Pointer, unknown ones and those of the path too', async (t) => {
  const response = await gateway.post('/v1/contacts', {
    email: 'no address',
    name: 7,
    tags: ['fine', ''],
    properties: { 'a/b~c': 'x', city: 3 },
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
  t.deepEqual((await problemIn(await gateway.post('/v1/contacts', {}))).errors, [
    { pointer: '/email', message: 'is required' },
  ]);
  const put = await gateway.send(contactPath, {
    method: 'PUT',
    headers: json,
    body: JSON.stringify({ contactId }),
  });
  t.deepEqual(
    (await problemIn(put)).errors!.map(({ pointer }) => pointer),
    ['/contactId'],
  );
});

test('keys of prototypes are fields like others: named where they are wrong, harmless everywhere', async (t) => {
  const body =
    '{"email":"a@example.com","__proto__":{"x":1},"properties":{"__proto__":"x","constructor":"fine"}}';
  const problem = await problemIn(await gateway.post('/v1/contacts', body));
  t.deepEqual(problem.errors!.map(({ pointer }) => pointer).toSorted(), [
    '/__proto__',
    '/properties/__proto__',
  ]);
  const query = await problemIn(await gateway.send('/v1/contacts?__proto__=1&constructor=2'));
  t.deepEqual(
    query.errors!.map(({ pointer }) => pointer),
    ['/__proto__', '/constructor'],
  );
});

test('JSON that is no object, nested too deep, or empty is 400', async (t) => {
  const deep = `{"properties":${'['.repeat(40)}${']'.repeat(40)}}`;
  const abyss = `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
  for (const body of [
    '[]',
    'null',
    '"text"',
    '1',
    '',
    '{',
    '{"a":1}}',
    "{'a':1}",
    '\ufeff{}',
    deep,
    abyss,
  ]) {
    t.is(
      (await problemIn(await gateway.post('/v1/contacts', body))).code,
      'invalid_json',
      body.slice(0, 20),
    );
  }
  const problem = await problemIn(await gateway.post('/v1/contacts', '{"email": secret-value}'));
  t.notRegex(problem.detail, /secret/);
});

test('an operation without fields takes no body or an empty object', async (t) => {
  const path = `${contactPath}/unsubscribe`;
  t.is((await gateway.send(path, { method: 'POST' })).status, 200);
  t.is((await gateway.send(path, { method: 'POST', headers: json })).status, 200);
  t.is((await gateway.post(path, {})).status, 200);
  t.is((await problemIn(await gateway.post(path, { why: 'spam' }))).code, 'invalid');
  t.is((await gateway.send(contactPath, { method: 'DELETE', headers: json })).status, 200);
});

test('an action whose fields are all optional may go without a body, an update may not', async (t) => {
  const path = `/v1/webhooks/${webhookId}/rotate-token`;
  const inputs = () => gateway.stubs.calls('webhooks.rotate-token').map(({ input }) => input);
  t.is((await gateway.send(path, { method: 'POST' })).status, 200);
  t.is((await gateway.send(path, { method: 'POST', headers: json })).status, 200);
  t.is((await gateway.post(path, {})).status, 200);
  t.is((await gateway.post(path, { overlapSeconds: 0 })).status, 200);
  const byDefault = { webhookId, overlapSeconds: 86_400 };
  t.deepEqual(inputs(), [byDefault, byDefault, byDefault, { webhookId, overlapSeconds: 0 }]);
  for (const body of [
    { overlapSeconds: 604_801 },
    { overlapSeconds: -1 },
    { overlapSeconds: 1.5 },
    { token: 'short' },
    { token: null },
    { why: 'lost' },
  ]) {
    const { code, errors } = await problemIn(await gateway.post(path, body));
    t.is(code, 'invalid');
    t.deepEqual(
      errors!.map(({ pointer }) => pointer),
      [`/${Object.keys(body)[0]}`],
    );
  }
  t.is(inputs().length, 4);
  const update = await gateway.send(`/v1/webhooks/${webhookId}`, { method: 'PUT', headers: json });
  t.is((await problemIn(update)).code, 'invalid_json');
});

test('integers in the query are digits: anything else, empty, repeated or unknown is 422', async (t) => {
  const inputOf = async (query: string) => {
    const response = await gateway.send(`/v1/contacts${query}`);
    t.is(response.status, 200, query);
    return gateway.stubs
      .calls('contacts.list')
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
    `after=${'x'.repeat(65)}`,
    'page=2',
    '%zz=1',
  ]) {
    const problem = await problemIn(await gateway.send(`/v1/contacts?${query}`));
    t.is(problem.code, 'invalid', query);
    t.is(problem.errors!.length, 1, query);
  }
  t.is(
    (await problemIn(await gateway.send(`${contactPath}?expand=tags`))).errors![0]!.pointer,
    '/expand',
  );
});

test('a malformed id and an unknown one get the same answer', async (t) => {
  gateway.stubs.answer('contacts.get', ({ input }) =>
    (input as { contactId: string }).contactId === contactId ? undefined : notFound('contact'),
  );
  const unknown = await problemIn(
    await gateway.send(`/v1/contacts/${encodeId('contact', randomUUID())}`),
  );
  const foreign = encodeId('webhook', randomUUID());
  for (const id of [
    'x',
    'cont_',
    contactId.toUpperCase(),
    `${contactId}0`,
    foreign,
    'a%2Fb',
    '%00',
    '%zz',
    '%C3%28',
    '..%2f',
    'x'.repeat(5000),
  ]) {
    const problem = await problemIn(await gateway.send(`/v1/contacts/${id}`));
    t.deepEqual({ ...problem, requestId: '' }, { ...unknown, requestId: '' }, id);
  }
});
