import { Fault, operations, type OperationName } from '@roster/contracts';
import { sampleBody, sampleContent } from '@roster/testing';
import { Json } from '@roster/bus';
import test from 'ava';
import { problemIn } from '../problem-document.js';
import { methodsOf, restOperations } from '../../rest/rest-operations.js';
import { targetOf } from './path-of.js';
import { contactId, propertyId, stubBytes, userId, webhookId } from '../stub-results.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

const bodyOf = (name: OperationName) => sampleBody(operations[name]);

/** Files are not the bytes of a service. */
const requests = restOperations
  .filter(({ http }) => !http.file)
  .flatMap((operation) => methodsOf(operation).map((method) => ({ operation, method })));

for (const { operation, method } of requests) {
  const { name, http } = operation;
  test(`${method} ${http.path} calls ${name} and answers ${http.status} with the bytes of the service`, async (t) => {
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const { type, body } = sampleContent(operation);
    const response = await gateway().send(targetOf(operation, method), {
      method,
      ...(hasBody && {
        body,
        headers: { 'content-type': type },
      }),
    });
    t.is(response.status, http.status);
    t.is(response.headers.get('content-type'), 'application/json; charset=utf-8');
    t.is(response.headers.get('cache-control'), 'no-store');
    t.is(response.headers.get('x-content-type-options'), 'nosniff');
    t.is(response.headers.get('x-powered-by'), null);
    const bytes = Buffer.from(await response.arrayBuffer());
    t.is(response.headers.get('content-length'), String(bytes.length));
    // The gateway adds what it read of a file.
    if (http.upload?.contains)
      t.like(JSON.parse(bytes.toString()), JSON.parse(stubBytes(name)) as object);
    else t.is(bytes.toString(), stubBytes(name));
    t.notThrows(() => operation.output.parse(JSON.parse(bytes.toString())));
    const requestId = response.headers.get('x-request-id');
    t.true(
      gateway()
        .stubs.calls(name)
        .some((call) => call.requestId === requestId),
    );
  });
}

test('sends the Location of a created resource that has a path', async (t) => {
  const locationOf = async (path: string, operation: OperationName) =>
    (await gateway().post(path, bodyOf(operation))).headers.get('location');
  t.is(await locationOf('/v1/contacts', 'contacts.create'), `/v1/contacts/${contactId}`);
  t.is(
    await locationOf('/v1/contact-properties', 'contact-properties.create'),
    `/v1/contact-properties/${propertyId}`,
  );
  t.is(await locationOf('/v1/webhooks', 'webhooks.create'), `/v1/webhooks/${webhookId}`);
  t.is(await locationOf('/v1/users', 'users.create'), `/v1/users/${userId}`);
  t.is(await locationOf('/v1/tokens', 'tokens.create'), null);
});

test('says that a response is the stored one of an earlier request with the same Idempotency-Key', async (t) => {
  gateway().stubs.answer('contacts.resubscribe', ({ idempotencyKey }) =>
    idempotencyKey === 'new' ? undefined : new Json(stubBytes('contacts.resubscribe'), true),
  );
  const replayed = async (key: string) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const path = `/v1/contacts/${contactId}/resubscribe`;
    const response = await gateway().send(path, { method: 'POST', headers, body: '{}' });
    t.is(response.status, 200);
    return response.headers.get('idempotency-replayed');
  };
  // In one batch.
  t.deepEqual(await Promise.all(['new', 'old', 'new', 'old'].map(replayed)), [
    null,
    'true',
    null,
    'true',
  ]);
});

test('answers HEAD as GET, without the body', async (t) => {
  const [get, head] = await Promise.all([
    gateway().send('/v1/contacts'),
    gateway().send('/v1/contacts', { method: 'HEAD' }),
  ]);
  t.is(head.status, 200);
  t.is(head.headers.get('content-length'), get.headers.get('content-length'));
  t.is(await head.text(), '');
});

test('uses a valid X-Request-Id, and generates one otherwise', async (t) => {
  const idFor = async (id: string) =>
    (await gateway().send('/v1/contacts', { headers: { 'x-request-id': id } })).headers.get(
      'x-request-id',
    );
  t.is(await idFor('import-17/row_4'), 'import-17/row_4');
  t.regex((await idFor('two words'))!, /^req_[0-9a-f]{32}$/);
  t.regex((await idFor('x'.repeat(129)))!, /^req_[0-9a-f]{32}$/);
  t.regex((await gateway().send('/nowhere')).headers.get('x-request-id')!, /^req_[0-9a-f]{32}$/);
});

test('continues a trace with a new span, and starts one if traceparent is missing or invalid', async (t) => {
  const sentTraceparent = async (traceparent?: string) => {
    await gateway().send('/v1/users/me', {
      headers: { 'x-request-id': `trace-${traceparent}`, ...(traceparent && { traceparent }) },
    });
    return gateway()
      .stubs.calls('users.me')
      .find(({ requestId }) => requestId === `trace-${traceparent}`)!.traceparent!;
  };
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const continued = await sentTraceparent(`00-${trace}-b7ad6b7169203331-00`);
  t.regex(continued, new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
  t.notRegex(continued, /b7ad6b7169203331/);
  t.regex(
    await sentTraceparent(`cc-${trace}-b7ad6b7169203331-01-later`),
    new RegExp(`^00-${trace}-`),
  );
  for (const wrong of [
    undefined,
    `00-${trace}-b7ad6b7169203331-01-x`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    'junk',
    `ff-${trace}-b7ad6b7169203331-01`,
  ]) {
    const newTrace = await sentTraceparent(wrong);
    t.regex(newTrace, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    t.notRegex(newTrace, new RegExp(trace));
  }
});

test('passes an Idempotency-Key with writes only, and rejects a malformed one', async (t) => {
  const key = { 'idempotency-key': 'row-17' };
  await gateway().post('/v1/users', { email: 'idem@example.com', name: 'Idem' }, key);
  t.is(
    gateway()
      .stubs.calls('users.create')
      .find(({ input }) => (input as { name: string }).name === 'Idem')!.idempotencyKey,
    'row-17',
  );
  await gateway().send('/v1/webhooks', { headers: { ...key, 'x-request-id': 'idem-read' } });
  t.is(
    gateway()
      .stubs.calls('webhooks.list')
      .find(({ requestId }) => requestId === 'idem-read')!.idempotencyKey,
    undefined,
  );
  for (const wrong of ['two words', 'x'.repeat(256), 'ümlaut']) {
    const problem = await problemIn(
      await gateway().post('/v1/users', bodyOf('users.create'), { 'idempotency-key': wrong }),
    );
    t.is(problem.code, 'invalid');
    t.is(problem.errors, undefined);
  }
});

test('answers a fault with a problem document that contains its public part', async (t) => {
  const fault = new Fault('conflict', 'There is one.', { existingId: webhookId, reason: 'secret' });
  gateway().stubs.answer('webhooks.create', ({ requestId }) =>
    requestId === 'conflict' ? fault : undefined,
  );
  const response = await gateway().post('/v1/webhooks', bodyOf('webhooks.create'), {
    'x-request-id': 'conflict',
  });
  t.notRegex(await response.clone().text(), /secret/);
  t.like(await problemIn(response), {
    code: 'conflict',
    status: 409,
    detail: 'There is one.',
    existingId: webhookId,
  });
});

test('answers 500 to an unexpected error without details', async (t) => {
  gateway().stubs.answer('webhooks.list', ({ requestId }) => {
    if (requestId === 'broken') throw new Error('password=hunter2');
    return undefined;
  });
  const problem = await problemIn(
    await gateway().send('/v1/webhooks', { headers: { 'x-request-id': 'broken' } }),
  );
  t.like(problem, { code: 'internal', detail: 'An internal error occurred.' });
});

test('serves a page for each problem type', async (t) => {
  const list = await (await fetch(`${gateway().url}/problems`)).text();
  const links = [...list.matchAll(/href="(problems\/[a-z_]+)"/g)].map(([, path]) => `/${path}`);
  t.true(links.length >= 13);
  for (const path of links) {
    const page = await fetch(gateway().url + path);
    t.is(page.status, 200);
    t.regex(await page.text(), /What to do/);
  }
  t.is((await problemIn(await fetch(`${gateway().url}/problems/none`))).code, 'not_found');
});

test('answers 200 to a dry run', async (t) => {
  const path = `/v1/webhooks/${webhookId}/replays`;
  const body = { since: '2026-01-01T00:00:00Z', dryRun: true };
  t.is((await gateway().post(path, body)).status, 200);
});
