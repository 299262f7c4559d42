import type { Scope } from '@roster/contracts';
import { sampleBody } from '@roster/testing';
import test from 'ava';
import { restOperations } from '../rest/rest-operations.js';
import { pathOf } from './path-of.js';
import { problemIn } from './problem-document.js';
import { bearer, testGateway, type TestGateway } from './test-gateway.js';

let gateway: TestGateway;
test.before(async () => void (gateway = await testGateway()));
test.after.always(() => gateway.close());

for (const operation of restOperations) {
  const { name, scope, http } = operation;
  test(`${name} refuses a key without the scope ${scope}, naming it, and takes one that holds no other`, async (t) => {
    const answerTo = (scopes: Scope[]) => {
      const { apiKey } = gateway.stubs.makeKey({ scopes });
      const headers = { ...bearer(apiKey), 'content-type': 'application/json' };
      const body = http.method === 'GET' ? null : JSON.stringify(sampleBody(operation));
      return fetch(gateway.url + pathOf(operation), { method: http.method, headers, body });
    };
    const refused = await answerTo([scope === 'user' ? 'api_user' : 'user']);
    t.is(
      refused.headers.get('www-authenticate'),
      `Bearer realm="Roster", error="insufficient_scope", scope="${scope}"`,
    );
    t.is((await problemIn(refused)).code, 'insufficient_scope');
    t.is((await answerTo([scope])).status, http.status);
  });
}
