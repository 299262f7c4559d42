import { encodeId, Fault, operations, versionOf } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { readIfNoneMatch } from '../../http/response/conditions.js';
import { problemIn } from '../problem-document.js';
import { stubBytes } from '../stub-results.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);
const path = () => `/v1/contacts/${encodeId('contact', randomUUID())}`;
const version = versionOf(operations['contacts.get'], stubBytes('contacts.get'));
const other = 'A'.repeat(22);

const ifMatchOf = async (header: string) => {
  const requestId = randomUUID();
  const { status } = await gateway().send(path(), {
    method: 'DELETE',
    headers: { 'if-match': header, 'x-request-id': requestId },
  });
  const call = gateway()
    .stubs.calls('contacts.delete')
    .find((one) => one.requestId === requestId);
  return { status, ifMatch: call?.ifMatch };
};

test('answers 304 without a body if If-None-Match contains the ETag, and HEAD as GET', async (t) => {
  const at = path();
  const first = await gateway().send(at);
  const etag = first.headers.get('etag')!;
  t.is(etag, `"${version}"`);
  for (const header of [etag, `W/${etag}`, `"${other}" , ${etag}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const response = await gateway().send(at, { method, headers: { 'if-none-match': header } });
      t.is(response.status, 304, header);
      t.is(response.headers.get('etag'), etag);
      t.is(response.headers.get('content-length'), null);
      t.is(await response.text(), '');
    }
  }
  const changed = await gateway().send(at, { headers: { 'if-none-match': `"${other}"` } });
  t.is(changed.status, 200);
  t.is(await changed.text(), stubBytes('contacts.get'));
});

test('lists and writes have no ETag', async (t) => {
  for (const response of [
    await gateway().send('/v1/contacts', { headers: { 'if-none-match': '*' } }),
    await gateway().send(path(), { method: 'DELETE' }),
  ]) {
    t.is(response.status, 200);
    t.is(response.headers.get('etag'), null);
  }
});

test('passes the versions in If-Match to the service; weak and foreign tags match none', async (t) => {
  const cases: [string, string[] | undefined][] = [
    ['*', undefined],
    [`"${version}"`, [version]],
    [`"${version}.${other}"`, [version]],
    [`"${version}","${other}"`, [version, other]],
    [`, "${version}" ,`, [version]],
    [`W/"${version}"`, []],
    ['"another,with-a-comma"', []],
  ];
  for (const [header, ifMatch] of cases)
    t.deepEqual(await ifMatchOf(header), { status: 200, ifMatch }, header);
});

test('rejects a header that is not a list of at most 16 entity tags', async (t) => {
  const many = Array.from({ length: 17 }, () => '"x"').join();
  for (const header of [version, `"${version}`, `"${version}" "x"`, `w/"x"`, ',', '"x",*', many]) {
    t.deepEqual(await ifMatchOf(header), { status: 422, ifMatch: undefined }, header);
    const requestId = randomUUID();
    const headers = { 'if-none-match': header, 'x-request-id': requestId };
    const response = await gateway().send(path(), { headers });
    t.is(response.headers.get('etag'), null);
    const { code, detail } = await problemIn(response);
    t.is(code, 'invalid', header);
    t.regex(detail, /If-None-Match/);
    t.deepEqual(gateway().stubs.operationsCalledBy(requestId), []);
  }
});

test('reads a header in a time that is proportional to its length', (t) => {
  // In a time proportional to the square of the length, the test would end by its time limit.
  const spaces = ' '.repeat(1_000_000);
  for (const header of [
    `,${spaces}x`,
    `"x"${spaces}x`,
    `W/${spaces}`,
    `"x",${spaces}"x"${spaces}x`,
  ])
    t.throws(() => readIfNoneMatch(header, true), { code: 'invalid' });
  t.deepEqual(readIfNoneMatch(`"x"${spaces},${spaces}"y"`, true), [
    { tag: 'x', isWeak: false },
    { tag: 'y', isWeak: false },
  ]);
});

test('rejects conditions that would be ignored, says what takes them, and calls no service', async (t) => {
  const requestId = randomUUID();
  const send = (method: string, at: string, header: string) =>
    gateway().send(at, {
      method,
      headers: { [header]: '*', 'content-type': 'application/json', 'x-request-id': requestId },
      ...(method.startsWith('P') && { body: JSON.stringify({ email: 'ada@example.com' }) }),
    });
  const ofOne = /If-Match header requires a PUT, PATCH or DELETE .* GET of one takes If-None-Match/;
  const ofReads = /If-None-Match header requires a GET; .* takes If-Match/;
  for (const [method, at, header, explanation] of [
    ['POST', '/v1/contacts', 'if-match', ofOne],
    ['PUT', '/v1/contacts', 'if-match', ofOne],
    ['POST', `${path()}/unsubscribe`, 'if-match', ofOne],
    ['GET', '/v1/contacts', 'if-match', ofOne],
    ['GET', path(), 'if-match', ofOne],
    ['POST', '/v1/contacts', 'if-none-match', ofReads],
    ['PUT', '/v1/contacts', 'if-none-match', ofReads],
    ['PATCH', path(), 'if-none-match', ofReads],
    ['DELETE', path(), 'if-none-match', ofReads],
  ] as const) {
    const { code, detail } = await problemIn(await send(method, at, header));
    t.is(code, 'invalid', `${method} ${at} ${header}`);
    t.regex(detail, explanation);
  }
  t.is((await send('HEAD', path(), 'if-match')).status, 422);
  t.deepEqual(gateway().stubs.operationsCalledBy(requestId), []);
});

test('answers 412 with a problem document', async (t) => {
  gateway().stubs.answer('webhooks.delete', ({ ifMatch }) =>
    ifMatch ? new Fault('precondition_failed', 'The resource has changed.') : undefined,
  );
  const at = `/v1/webhooks/${encodeId('webhook', randomUUID())}`;
  const refused = await gateway().send(at, {
    method: 'DELETE',
    headers: { 'if-match': `"${other}"` },
  });
  t.is(refused.status, 412);
  t.like(await problemIn(refused), { code: 'precondition_failed', status: 412 });
});
