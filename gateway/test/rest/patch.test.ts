import test from 'ava';
import { randomUUID } from 'node:crypto';
import { problemIn } from '../problem-document.js';
import { contactId } from '../stub-results.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);
const path = `/v1/contacts/${contactId}`;
const json = 'application/json';
const mergePatch = 'application/merge-patch+json';
const patchTypes = `${json}, ${mergePatch}`;

const send = (method: string, type: string, headers: Record<string, string> = {}) =>
  gateway().send(path, {
    method,
    headers: { 'content-type': type, ...headers },
    body: '{"properties":{"city":null}}',
  });

test('PATCH takes both media types, and calls the operation of PUT with its Idempotency-Key and If-Match', async (t) => {
  for (const type of [json, mergePatch, `${mergePatch};charset=utf-8`]) {
    const requestId = randomUUID();
    const headers = {
      'x-request-id': requestId,
      'idempotency-key': 'one',
      'if-match': `"${'A'.repeat(22)}"`,
    };
    t.is((await send('PATCH', type, headers)).status, 200);
    const call = gateway()
      .stubs.calls('contacts.update')
      .find((one) => one.requestId === requestId)!;
    t.like(call, {
      input: { contactId, properties: { city: null } },
      idempotencyKey: 'one',
      ifMatch: ['A'.repeat(22)],
    });
  }
});

test('PATCH with another media type is answered 415 with Accept-Patch; PUT takes no merge patch', async (t) => {
  for (const type of ['application/json-patch+json', 'text/plain']) {
    const refused = await send('PATCH', type);
    t.is(refused.headers.get('accept-patch'), patchTypes);
    const { code, detail } = await problemIn(refused);
    t.is(code, 'unsupported_media_type');
    t.regex(detail, /merge-patch/);
  }
  const refused = await send('PUT', mergePatch);
  t.is(refused.headers.get('accept-patch'), null);
  t.is((await problemIn(refused)).code, 'unsupported_media_type');
});

test('405 has Accept-Patch where PATCH is supported', async (t) => {
  const accepted = async (at: string) => {
    const response = await gateway().send(at, { method: 'OPTIONS' });
    t.is((await problemIn(response)).code, 'method_not_allowed');
    return response.headers.get('accept-patch');
  };
  t.is(await accepted(path), patchTypes);
  t.is(await accepted('/v1/users/me'), patchTypes);
  // These replace or create a resource.
  t.is(await accepted('/v1/origins'), null);
  t.is(await accepted('/v1/contacts'), null);
});
