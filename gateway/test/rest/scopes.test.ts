import { InsufficientScope, operations, scopes, scopesOf, type Scope } from '@roster/contracts';
import { sampleContent } from '@roster/testing';
import test from 'ava';
import { OperationClient } from '../../operations/operation-client.js';
import { restOperations } from '../../rest/rest-operations.js';
import { problemIn } from '../problem-document.js';
import { contactId } from '../stub-results.js';
import { bearer, sharedGateway } from '../test-gateway.js';
import { targetOf } from './path-of.js';

const gateway = sharedGateway(test);

for (const operation of restOperations) {
  const { name, http } = operation;
  const required = scopesOf(operation);
  const title =
    required.length === 0
      ? 'accepts a key with any scope'
      : `rejects a key without the scope ${required.join(' or ')}, names the scope, and accepts a key with no other`;
  test(`${name} ${title}`, async (t) => {
    const sendWith = (scopes: Scope[]) => {
      const { apiKey } = gateway().stubs.makeKey({ scopes });
      const content = sampleContent(operation);
      const headers = { ...bearer(apiKey), 'content-type': content.type };
      const body = http.method === 'GET' ? null : content.body;
      return fetch(gateway().url + targetOf(operation), { method: http.method, headers, body });
    };
    for (const scope of required) {
      const refused = await sendWith(scopes.filter((other) => other !== scope));
      t.is(
        refused.headers.get('www-authenticate'),
        `Bearer realm="Roster", error="insufficient_scope", scope="${scope}"`,
      );
      t.is((await problemIn(refused)).code, 'insufficient_scope');
    }
    const accepted = required.length === 0 ? scopes.map((scope) => [scope]) : [required];
    for (const held of accepted) t.is((await sendWith(held)).status, http.status);
  });
}

test('calls neither operations without the scope nor internal operations, whatever the interface', (t) => {
  const client = new OperationClient(gateway().stubs.bus, { charge: () => [] });
  const { apiKey: _, expiresAt: __, ...caller } = gateway().stubs.makeKey({ scopes: ['api_user'] });
  const context = { caller, requestId: 'unchecked', deadline: Date.now() + 30_000 };
  t.throws(() => client.callRaw(operations['contacts.get'], { contactId }, [], context), {
    instanceOf: InsufficientScope,
  });
  t.throws(() => client.callRaw(operations['keys.revoke'], { keyId: caller.keyId }, [], context), {
    instanceOf: TypeError,
  });
  t.deepEqual(gateway().stubs.operationsCalledBy('unchecked'), []);
});
