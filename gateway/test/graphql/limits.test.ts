import test from 'ava';
import { getIntrospectionQuery } from 'graphql';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';
import { askGraphql, codesOf } from './ask-graphql.js';

let gateway: TestGateway;
let production: TestGateway;
test.before(async () => {
  [gateway, production] = await Promise.all([
    testGateway(),
    testGateway({ NODE_ENV: 'production' }),
  ]);
  // The first documents ever compile the parser and the rules.
  for (let index = 0; index < 20; index += 1) {
    const warm = Object.values(hostile).map(([document, , variables]) =>
      askGraphql(gateway, `# ${index}\n${document}`, variables),
    );
    await Promise.all(warm);
  }
});
test.after.always(() => Promise.all([gateway.close(), production.close()]));

const repeat = (text: string, count: number) => text.repeat(count);
const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join(' ');

/** Documents meant to hurt: each with its code, and variables where it needs some. */
const hostile: Record<
  string,
  [document: string, code: string, variables?: Record<string, unknown>]
> = {
  'a deep one': [`{ ${repeat('node { ', 11)} id ${repeat('} ', 11)} }`, 'query_too_deep'],
  'a very deep one': [repeat('{ a', 4000), 'query_too_long'],
  'a deep one just below the limit of tokens': [
    `${repeat('{ a', 1600)} ${repeat('}', 1600)}`,
    'query_too_deep',
  ],
  'a deep list value': [`{ node(id: ${repeat('[', 4900)}`, 'query_too_deep'],
  'a wide one': [`{ ${repeat('__typename ', 4990)} }`, 'query_too_repetitive'],
  'a wide one with selections': [`{ ${repeat('me { id } ', 1200)} }`, 'query_too_repetitive'],
  'one of 10,000 tokens': [`{ ${repeat('a ', 10_000)} }`, 'query_too_long'],
  'one with 251 aliases': [`{ ${many(251, (n) => `a${n}: __typename`)} }`, 'too_many_aliases'],
  'aliases hidden in fragments': [
    `{ ${many(30, (n) => `...F${n}`)} } ${many(30, (n) => `fragment F${n} on Query { ${many(10, (m) => `a${n}_${m}: __typename`)} }`)}`,
    'too_many_aliases',
  ],
  'fragments in a circle': [
    '{ ...A } fragment A on Query { ...B me { id } } fragment B on Query { ...A }',
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'a circle through fields': [
    '{ node(id: "x") { ...A } } fragment A on Node { id node(id: "x") { ...A } }',
    'query_too_deep',
  ],
  'fragments that double at each level': [
    `{ ...F0 } ${many(40, (n) => `fragment F${n} on Query { a: me { ...F${n + 1} } b: me { ...F${n + 1} } }`)} fragment F40 on Query { __typename }`,
    'query_too_deep',
  ],
  'fragments that merge into each other': [
    `{ ${many(150, (n) => `...F${n}`)} } ${many(150, (n) => `fragment F${n} on Query { ${repeat('me{id} ', 5)} }`)}`,
    'query_too_repetitive',
  ],
  'a huge page in a variable': [
    'query ($n: Int!) { contacts(first: $n) { nodes { id } } }',
    'query_too_costly',
    { n: 1_000_000_000 },
  ],
  'a huge page by default': [
    'query ($n: Int = 999999) { contacts(first: $n) { nodes { id } } }',
    'query_too_costly',
  ],
  'a huge list of ids': [
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    'query_too_costly',
    { ids: Array(10_000).fill('cont_1') },
  ],
  'pages in many aliases': [
    `{ ${many(100, (n) => `c${n}: contacts(first: 100) { nodes { id } }`)} }`,
    'query_too_costly',
  ],
  'all attempts of all webhooks': [
    '{ webhooks { deliveries(first: 100) { nodes { attempts { number statusCode } } } } }',
    'query_too_costly',
  ],
  'introspection in a circle': [
    `{ __schema { types { ${repeat('fields { type { ', 9)} name ${repeat('} } ', 9)} } } }`,
    'query_too_deep',
  ],
};

for (const [name, [document, code, variables]] of Object.entries(hostile)) {
  // One after the other, for the time it takes to be its own.
  test.serial(`${name} is refused with ${code}`, async (t) => {
    const durations: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const before = process.threadCpuUsage();
      const answer = await askGraphql(gateway, `# ${attempt}!\n${document}`, variables);
      const { user, system } = process.threadCpuUsage(before);
      durations.push((user + system) / 1000);
      t.is(codesOf(answer)[0], code, answer.text.slice(0, 500));
      t.is(answer.status, 400);
      t.is(answer.data, undefined);
      t.notRegex(answer.text, /call stack|node_modules/);
    }
    // Said, not judged: other programs run beside this one. Time of this thread, which is client and gateway.
    t.log(`${Math.min(...durations).toFixed(1)} ms of CPU at best`);
  });
}

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
  writeFileSync(file, JSON.stringify({ [sha256(listed)]: listed }));
  const strict = await gatewayFor(t, { GRAPHQL_DOCUMENTS: file });
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
