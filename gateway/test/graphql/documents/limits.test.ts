import test from 'ava';
import { getIntrospectionQuery } from 'graphql';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersistedDocuments } from '../../../graphql/http/persisted-documents.js';
import { gatewayConfig } from '../../../config.js';
import { gatewayFor, testGateway, type TestGateway } from '../../test-gateway.js';
import { executeGraphql, codesOf } from '../execute-graphql.js';
import { hostileDocuments, many, veryDeepDocument } from './hostile-documents.js';

let gateway: TestGateway;
let production: TestGateway;
test.before(async () => {
  [gateway, production] = await Promise.all([
    testGateway(),
    testGateway({ NODE_ENV: gatewayConfig.shape.NODE_ENV.parse(undefined) }),
  ]);
});
test.after.always(() => Promise.all([gateway.close(), production.close()]));

for (const [name, [document, code, variables]] of Object.entries(hostileDocuments)) {
  test(`rejects ${name} with ${code}`, async (t) => {
    const response = await executeGraphql(gateway, document, variables);
    t.is(codesOf(response)[0], code, response.text.slice(0, 500));
    t.is(response.status, 400);
    t.is(response.data, undefined);
    t.notRegex(response.text, /call stack|node_modules/);
  });
}

test('rejects a document that exceeds the stack of the parser as too deep or too long', async (t) => {
  const response = await executeGraphql(gateway, veryDeepDocument);
  t.regex(codesOf(response)[0]!, /^query_too_(?:deep|long)$/);
  t.is(response.status, 400);
});

test('accepts introspection, 150 aliases and a full page of contacts', async (t) => {
  const documents = [
    getIntrospectionQuery(),
    `{ ${many(150, (n) => `c${n}: contact(id: "cont_${n}") { id email name }`)} }`,
    '{ contacts(first: 100) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id email name tags properties status createdAt } } } }',
  ];
  for (const document of documents) {
    const { errors, text } = await executeGraphql(gateway, document);
    t.is(errors, undefined, text.slice(0, 300));
  }
});

test('discloses no schema in production, the default: no introspection and no suggestions', async (t) => {
  for (const document of [getIntrospectionQuery(), '{ __type(name: "Contact") { name } }']) {
    const response = await executeGraphql(production, document);
    t.deepEqual(codesOf(response), ['introspection_disabled']);
  }
  const { text } = await executeGraphql(production, '{ contactz(first: 1) { nodes { id } } }');
  t.notRegex(text, /Did you mean/);
  t.deepEqual((await executeGraphql(production, '{ __typename }')).data, { __typename: 'Query' });
  t.regex((await executeGraphql(gateway, '{ contactz(first: 1) { id } }')).text, /Did you mean/);
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('executes a document by its hash after it was sent in full (APQ)', async (t) => {
  const query = '{ me { id name } }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
  const post = async (body: object) =>
    (await (await gateway.post('/graphql', body)).json()) as {
      data?: object;
      errors?: [{ extensions: { code: string } }];
    };
  const unknown = await post({ extensions });
  t.is(unknown.errors?.[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
  t.truthy((await post({ query, extensions })).data);
  t.truthy((await post({ extensions })).data);
});

test('with GRAPHQL_DOCUMENTS executes only listed documents, whatever the form of the reference', async (t) => {
  const listed = '{ me { id } }';
  const file = join(tmpdir(), `roster-documents-${process.pid}.json`);
  t.teardown(() => rmSync(file, { force: true }));
  writeFileSync(file, JSON.stringify({ [sha256(listed)]: listed }));
  const strict = await gatewayFor(t, { GRAPHQL_DOCUMENTS: PersistedDocuments.read(file) });
  const post = async (body: object) =>
    (await (await strict.post('/graphql', body)).json()) as {
      data?: object;
      errors?: [{ extensions: { code: string } }];
    };
  const apq = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } });
  const other = '{ me { name } }';
  for (const body of [
    { query: listed },
    { documentId: `sha256:${sha256(listed)}` },
    { documentId: sha256(listed) },
    { extensions: apq(listed) },
  ])
    t.truthy((await post(body)).data, JSON.stringify(body));
  for (const body of [
    { query: other },
    { query: other, extensions: apq(other) },
    { query: other, extensions: apq(listed), documentId: 'x' },
    { extensions: apq(other) },
    {},
  ])
    t.is(
      (await post(body)).errors?.[0].extensions.code,
      'document_not_listed',
      JSON.stringify(body),
    );
  const get = await strict.send(`/graphql?query=${encodeURIComponent(other)}`);
  t.is(get.status, 400);
  t.is((await strict.send(`/graphql?query=${encodeURIComponent(listed)}`)).status, 200);
});
