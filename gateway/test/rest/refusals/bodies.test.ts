import test from 'ava';
import { request } from 'node:http';
import { problemIn } from '../../problem-document.js';
import { bearer, sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const json = { 'content-type': 'application/json' };

test('checks the key, the scope, the media type, the size, the JSON and the schema in this order', async (t) => {
  const { apiKey } = gateway().stubs.makeKey({ scopes: ['user'] });
  const codeOf = async (path: string, headers: Record<string, string>, body: string) =>
    (await problemIn(await fetch(gateway().url + path, { method: 'POST', headers, body }))).code;
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

test('accepts only bodies declared as uncompressed application/json in UTF-8', async (t) => {
  const body = { email: 'a@example.com' };
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json;',
    'application/json ; ',
    'application/json;;charset=utf-8;',
    'application/json; charset=utf8',
    'application/json;charset="UTF8"',
  ]) {
    t.is((await gateway().post('/v1/contacts', body, { 'content-type': type })).status, 201, type);
  }
  const wrong = [
    'text/plain',
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json;charset',
    'application/json; charset=utf--8',
    'application/json; charset=utf-16',
    'application/json; charset=utf88',
    'application/json; charset=utf-8; charset=latin1',
    'application/json, text/plain',
  ];
  for (const type of wrong) {
    const problem = await problemIn(
      await gateway().post('/v1/contacts', body, { 'content-type': type }),
    );
    t.is(problem.code, 'unsupported_media_type', type);
  }
  t.is(
    (await problemIn(await gateway().post('/v1/contacts', body, { 'content-encoding': 'gzip' })))
      .code,
    'unsupported_media_type',
  );
  const bytes = Buffer.concat([
    Buffer.from('{"email":"a@example.com","name":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  const problem = await problemIn(
    await gateway().send('/v1/contacts', { method: 'POST', headers: json, body: bytes }),
  );
  t.like(problem, { code: 'invalid_json', detail: 'The body is not valid UTF-8.' });
});

test('ignores a byte order mark before JSON, and nowhere else', async (t) => {
  const { stubs, post } = gateway();
  for (const path of ['/v1/contacts', '/v1/contacts/batch', '/graphql'] as const) {
    const body = {
      '/v1/contacts': { email: 'mark@example.com', name: '\ufeffAda' },
      '/v1/contacts/batch': { operations: [{ action: 'upsert', email: 'mark@example.com' }] },
      '/graphql': { query: '{ __typename }' },
    }[path];
    const answer = await post(path, `\ufeff${JSON.stringify(body)}`);
    t.true(answer.ok, path);
    await answer.body?.cancel();
  }
  const created = stubs.calls('contacts.create').map(({ input }) => input as { name: string });
  t.true(created.some(({ name }) => name === '\ufeffAda'));
  const { detail } = await problemIn(await post('/v1/contacts', '\ufeff{"a":1,}'));
  t.is(detail, 'The body is not valid JSON (at character 7).');
});

test('rejects a body over the limit by its Content-Length, and a chunked one as soon as it exceeds the limit', async (t) => {
  const codeOf = async (path: string, bytes: number) =>
    (await problemIn(await gateway().post(path, 'x'.repeat(bytes)))).code;
  for (const [path, bytesMax] of [
    ['/v1/contacts', 64 * 1024],
    ['/v1/contacts/batch', 1024 * 1024],
  ] as const) {
    t.is(await codeOf(path, bytesMax + 1), 'payload_too_large', path);
    t.is(await codeOf(path, bytesMax), 'invalid_json', path);
  }
  const { apiKey } = gateway().stubs.makeKey();
  const sent = request(`${gateway().url}/v1/contacts`, {
    method: 'POST',
    headers: { ...bearer(apiKey), ...json },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.statusCode!));
    sent.on('error', reject);
  });
  // The request never ends, so the response cannot have waited for its end.
  for (let chunk = 0; chunk < 20; chunk += 1) sent.write(' '.repeat(8 * 1024));
  t.is(await status, 413);
  sent.on('error', () => {});
  sent.destroy();
});

test('answers 400 to JSON that is empty, malformed, not an object or nested too deeply, without quoting it', async (t) => {
  const deep = `{"properties":${'['.repeat(16)}${']'.repeat(16)}}`;
  const abyss = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  for (const body of [
    '[]',
    'null',
    '"text"',
    '1',
    '',
    '{',
    '{"a":1}}',
    "{'a':1}",
    '\ufeff',
    '\ufeff\ufeff{}',
    ' \ufeff{}',
    deep,
    abyss,
  ]) {
    t.is(
      (await problemIn(await gateway().post('/v1/contacts', body))).code,
      'invalid_json',
      body.slice(0, 20),
    );
  }
  const problem = await problemIn(await gateway().post('/v1/contacts', '{"email": secret-value}'));
  t.notRegex(problem.detail, /secret/);
});

test('answers 413 to a body with more than 5,000 JSON values, or 20,000 in a batch, before anything else is checked', async (t) => {
  const listOf = (length: number) => Array.from({ length }, () => 'x');
  const codeOf = async (path: string, body: object) => {
    const { code, detail } = await problemIn(await gateway().post(path, body));
    return code === 'payload_too_large' ? detail : code;
  };
  const refusal = (max: number) => `The body has more than ${max} JSON values.`;
  const kinds = (length: number) => ({ url: 'https://example.com/', events: listOf(length) });
  t.is(await codeOf('/v1/webhooks', kinds(15_000)), refusal(5_000));
  t.is(await codeOf('/v1/webhooks', kinds(4_998)), refusal(5_000));
  t.is(await codeOf('/v1/webhooks', kinds(4_997)), 'invalid');
  t.is(await codeOf('/v1/contacts/batch', { operations: listOf(19_999) }), refusal(20_000));
  t.is(await codeOf('/v1/contacts/batch', { operations: listOf(19_998) }), 'invalid');
});
