import { HeaderMap } from '@apollo/server';
import type { Log } from '@roster/process';
import test from 'ava';
import { createHash } from 'node:crypto';
import { buildRosterSchema } from '../../../graphql/build-schema.js';
import { DocumentChecker } from '../../../graphql/document/document-checker.js';
import { RequestBudget } from '../../../graphql/request/request-budget.js';
import { openApollo } from '../../../graphql/http/open-apollo.js';
import { sharedGateway } from '../../test-gateway.js';
import type { GraphqlError } from '../execute-graphql.js';

const gateway = sharedGateway(test);

const schema = buildRosterSchema();

test('answers BAD_REQUEST to malformed requests and does not log them as errors', async (t) => {
  const query = '{ me { id } }';
  const persisted = (version: number, sha256Hash: unknown) => ({
    query,
    extensions: { persistedQuery: { version, sha256Hash } },
  });
  const logged: object[] = [];
  const ignored = () => undefined;
  const error = (fields: object) => void logged.push(fields);
  const log = { debug: ignored, info: ignored, warn: ignored, error } as unknown as Log;
  const apollo = await openApollo({
    schema,
    checker: new DocumentChecker(schema, { introspection: true }),
    log,
    introspection: true,
  });
  t.teardown(() => apollo.stop());
  for (const body of [
    [],
    [7],
    [{ query: 5 }],
    {},
    { query: 5 },
    { query, variables: 5 },
    { query, extensions: 5 },
    persisted(1, 'a'.repeat(64)),
    persisted(1, 5),
    persisted(2, createHash('sha256').update(query).digest('hex')),
  ]) {
    const shown = JSON.stringify(body);
    const headers = { 'x-request-id': 'malformed' };
    const response = await gateway().post('/graphql', body, headers);
    t.is(response.status, 400, shown);
    const { errors } = (await response.json()) as { errors: GraphqlError[] };
    t.deepEqual(
      errors.map(({ extensions }) => extensions),
      [{ code: 'BAD_REQUEST', requestId: 'malformed' }],
      shown,
    );
    await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: 'POST',
        headers: new HeaderMap([['content-type', 'application/json']]),
        search: '',
        body,
      },
      context: async () =>
        ({
          ...{ requestId: 'malformed', operations: { replayed: [] } },
          budget: new RequestBudget(),
        }) as never,
    });
  }
  t.deepEqual(logged, []);
});

test('rejects conditions, which would be ignored, and executes nothing', async (t) => {
  const query = 'mutation { deleteContact(input: { id: "x" }) { deleted } }';
  const conditions = [{ 'if-match': '"a"' }, { 'if-none-match': '*' }, { 'if-match': '*' }];
  for (const [index, condition] of conditions.entries())
    for (const accept of ['application/json', 'text/event-stream']) {
      const headers = { ...condition, accept, 'x-request-id': `condition-${index}` };
      const response = await gateway().post('/graphql', { query }, headers);
      t.is(response.status, 422);
      const { errors } = (await response.json()) as { errors: GraphqlError[] };
      t.is(errors[0]!.extensions.code, 'invalid');
      t.deepEqual(gateway().stubs.operationsCalledBy(`condition-${index}`), []);
    }
  const read = await gateway().send(`/graphql?query=${encodeURIComponent('{ me { id } }')}`, {
    headers: { 'if-none-match': '*', 'content-type': 'application/json' },
  });
  t.is(read.status, 200);
});
