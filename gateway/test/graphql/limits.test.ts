import test from 'ava';
import { getIntrospectionQuery } from 'graphql';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersistedDocuments } from '../../graphql/http/persisted-documents.js';
import { gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';
import { askGraphql, codesOf } from './ask-graphql.js';
import { hostileDocuments, many, veryDeepDocument } from './hostile-documents.js';

let gateway: TestGateway;
let production: TestGateway;
test.before(async () => {
  [gateway, production] = await Promise.all([
    testGateway(),
    testGateway({ NODE_ENV: 'production' }),
  ]);
});
test.after.always(() => Promise.all([gateway.close(), production.close()]));

for (const [name, [document, code, variables]] of Object.entries(hostileDocuments)) {
  test(`${name} is refused with ${code}`, async (t) => {
    const answer = await askGraphql(gateway, document, variables);
    t.is(codesOf(answer)[0], code, answer.text.slice(0, 500));
    t.is(answer.status, 400);
    t.is(answer.data, undefined);
    t.notRegex(answer.text, /call stack|node_modules/);
  });
}

test('a very deep one is refused as too deep or too long', async (t) => {
  const answer = await askGraphql(gateway, veryDeepDocument);
  t.regex(codesOf(answer)[0]!, /^query_too_(?:deep|long)$/);
  t.is(answer.status, 400);
});

test('the limits admit what clients send', async (t) => {
  const documents = [
    getIntrospectionQuery(),
    `{ ${many(200, (n) => `c${n}: contact(id: "cont_${n}") { id email name }`)} }`,
    '{ contacts(first: 100) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id email name tags properties status createdAt } } } }',
  ];
  for (const document of documents) {
    const { errors, text } = await askGraphql(gateway, document);
    t.is(errors, undefined, text.slice(0, 300));
  }
});

test('in production the schema is not told: no introspection, no suggestions, no page', async (t) => {
  for (const document of [getIntrospectionQuery(), '{ __type(name: "Contact") { name } }']) {
    const answer = await askGraphql(production, document);
    t.deepEqual(codesOf(answer), ['introspection_disabled']);
  }
  const { text } = await askGraphql(production, '{ contactz(first: 1) { nodes { id } } }');
  t.notRegex(text, /Did you mean/);
  t.deepEqual((await askGraphql(production, '{ __typename }')).data, { __typename: 'Query' });
  t.regex((await askGraphql(gateway, '{ contactz(first: 1) { id } }')).text, /Did you mean/);
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a document is remembered by its hash once it was sent whole (APQ)', async (t) => {
  const query = '{ me { id name } }';
  const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
  const ask = async (body: object) =>
    (await (await gateway.post('/graphql', body)).json()) as {
      data?: object;
      errors?: [{ extensions: { code: string } }];
    };
  const unknown = await ask({ extensions });
  t.is(unknown.errors?.[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
  t.truthy((await ask({ query, extensions })).data);
  t.truthy((await ask({ extensions })).data);
});

test('where documents are listed, no other is answered, however it is named', async (t) => {
  const listed = '{ me { id } }';
  const file = join(tmpdir(), `roster-documents-${process.pid}.json`);
  t.teardown(() => rmSync(file, { force: true }));
  writeFileSync(file, JSON.stringify({ [sha256(listed)]: listed }));
  const strict = await gatewayFor(t, { GRAPHQL_DOCUMENTS: PersistedDocuments.read(file) });
  const ask = async (body: object) =>
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
    t.truthy((await ask(body)).data, JSON.stringify(body));
  for (const body of [
    { query: other },
    { query: other, extensions: apq(other) },
    { query: other, extensions: apq(listed), documentId: 'x' },
    { extensions: apq(other) },
    {},
  ])
    t.is(
      (await ask(body)).errors?.[0].extensions.code,
      'document_not_listed',
      JSON.stringify(body),
    );
  const get = await strict.send(`/graphql?query=${encodeURIComponent(other)}`);
  t.is(get.status, 400);
  t.is((await strict.send(`/graphql?query=${encodeURIComponent(listed)}`)).status, 200);
});
