import test from 'ava';
import { methodsOf, restOperations } from '../../../rest/rest-operations.js';
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
  t.is(await allowOf('GET', `${contactPath}/unsubscribe`), 'POST');
  t.is(await allowOf('POST', '/v1/openapi.json'), 'GET, HEAD');
});

test('a path without an ID has no methods of the path with an ID in its place', async (t) => {
  const methodsOfPath = Map.groupBy(restOperations, ({ http }) => http.path);
  const withId = [...methodsOfPath.keys()].filter((path) => path.includes('{'));
  const fixed = [...methodsOfPath].filter(([path]) =>
    withId.some((other) => new RegExp(`^${other.replaceAll(/\{\w+\}/g, '[^/{]+')}$`).test(path)),
  );
  t.true(fixed.length >= 2);
  for (const [path, operations] of fixed) {
    const own = operations.flatMap(methodsOf);
    const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ');
    for (const method of ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']) {
      if (allowed.split(', ').includes(method)) continue;
      const response = await gateway().send(path, { method });
      t.is(response.status, 405, `${method} ${path}`);
      t.is(response.headers.get('allow'), allowed, `${method} ${path}`);
    }
  }
});
