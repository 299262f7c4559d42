import {
  operations,
  resources,
  scopes,
  scopesOf,
  type Operation,
  type Scope,
} from '@roster/contracts';
import { documentOf, findField, howToExpose } from '@roster/testing/graphql';
import test from 'ava';
import { buildRosterSchema } from '../../../graphql/build-schema.js';
import { pathIds, userId } from '../../stub-results.js';
import { bearer, sharedGateway } from '../../test-gateway.js';
import { codesOf, executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

const schema = buildRosterSchema();

for (const operation of Object.values(operations) as Operation[]) {
  const { name, http } = operation;
  // GraphQL has no files.
  if (!http || http.file || http.upload) continue;
  const required = scopesOf(operation);
  test(`${name} can be called over GraphQL with ${required.join(' and ') || 'any scope'}, and not without`, async (t) => {
    t.truthy(findField(schema, operation), howToExpose(operation));
    const { query, variables } = documentOf(schema, operation, idFor(operation));
    const held: Scope[] = required.length === 0 ? ['api_user'] : required;
    const key = gateway().stubs.makeKey({ scopes: held });
    const headers = { ...bearer(key.apiKey), 'x-request-id': `ok-${name}` };
    const response = await execute(query, variables, headers);
    t.is(response.errors, undefined, response.text);
    const called = gateway().stubs.operationsCalledBy(`ok-${name}`);
    const equivalent = called.find((one) => one === name || isPageOf(one, operation))!;
    t.truthy(equivalent, `gateway/graphql: the field of ${name} called ${called.join(' and ')}`);
    const call = gateway()
      .stubs.calls(equivalent)
      .find(({ requestId }) => requestId === `ok-${name}`)!;
    const { keyId, workspaceId } = key;
    t.deepEqual(call.caller, { keyId, workspaceId, userId, scopes: held });
    if (required.length === 0) return;
    const other = gateway().stubs.makeKey({
      scopes: scopes.filter((scope) => scope !== required[0]),
    });
    const without = await execute(query, variables, {
      ...bearer(other.apiKey),
      'x-request-id': 'no',
    });
    t.deepEqual(codesOf(without), ['insufficient_scope']);
    t.is(without.errors![0]!.extensions.requestId, 'no');
  });
}

/** The ID that the stubs know. */
const idFor = ({ resource }: Operation): string =>
  resource === undefined ? pathIds['tag']! : pathIds[resources[resource].idField]!;

/** Connections are read with an internal operation of the same noun instead of the list operation of REST. */
function isPageOf(name: string, list: Operation): boolean {
  const { http, scope } = (operations as Record<string, Operation>)[name]!;
  const sameNoun = name.split('.')[0] === list.name.split('.')[0];
  return !http && sameNoun && scope === list.scope;
}
