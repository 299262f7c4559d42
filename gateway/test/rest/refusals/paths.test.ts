import test from 'ava';
import { problemIn } from '../../problem-document.js';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const contactPath = `/v1/contacts/${contactId}`;

test('answers 404 to unknown paths and 405 with Allow to unsupported methods, both without a key', async (t) => {
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
    t.is((await problemIn(await fetch(gateway().url + path))).code, 'not_found', path);
  }
  const { detail } = await problemIn(await fetch(`${gateway().url}/v1/contacts/`));
  t.is(detail, 'No such path: paths have no trailing slash.');
  const allowOf = async (method: string, path: string) => {
    const response = await fetch(gateway().url + path, { method });
    t.is((await problemIn(response.clone())).code, 'method_not_allowed');
    return response.headers.get('allow');
  };
  t.is(await allowOf('PATCH', '/v1/contacts'), 'GET, HEAD, POST, PUT');
  t.is(await allowOf('OPTIONS', contactPath), 'DELETE, GET, HEAD, PATCH, PUT');
  t.is(await allowOf('DELETE', '/v1/users'), 'GET, HEAD, POST');
  t.is(await allowOf('POST', '/v1/users/me'), 'DELETE, GET, HEAD, PATCH, PUT');
  t.is(await allowOf('GET', `${contactPath}/unsubscribe`), 'POST');
  t.is(await allowOf('POST', '/v1/openapi.json'), 'GET, HEAD');
});
