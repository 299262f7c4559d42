import test from 'ava';
import {
  getNullableType,
  getIntrospectionQuery,
  isListType,
  isObjectType,
  type GraphQLError,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildRosterSchema, schemaFile } from '../../../graphql/build-schema.js';
import { DocumentChecker } from '../../../graphql/document/document-checker.js';
import { costOf } from '../../../graphql/document/field-cost.js';
import {
  batchMax,
  documentLimits,
  resultBytesMax,
  searchCost,
  errorsMax,
  requestBytesMax,
  variableLimits,
} from '../../../graphql/document/limits.js';
import { many } from './hostile-documents.js';

const schema = buildRosterSchema();
const checker = new DocumentChecker(schema, { introspection: true });
const costOfDocument = (query: string, variables?: Record<string, unknown>) =>
  checker.checkLimits(checker.parse(query), variables);
const reference = readFileSync(join(dirname(schemaFile), 'graphql/README.md'), 'utf8');

const documents: Record<string, [cost: number, query: string, variables?: object]> = {
  'a field of an object': [7, '{ me { id } }'],
  'a page': [
    6 + 2 + 50 * 2 + 50,
    '{ contacts(first: 50) { totalCount edges { node { id } cursor } } }',
  ],
  'a page of a search': [
    6 + 250 + 1 + 50,
    'query ($f: ContactFilter) { contacts(first: 50, filter: $f, sort: EMAIL) { nodes { id } } }',
  ],
  'a page in another order': [
    6 + 1 + 50,
    '{ contacts(first: 50, sort: CREATED_AT_DESC) { nodes { id } } }',
  ],
  'a page from the end, by a variable': [
    6 + 1 + 30,
    'query ($n: Int) { contacts(last: $n) { nodes { id } } }',
    { n: 30 },
  ],
  'a page by the default of a variable': [
    6 + 1 + 20,
    'query ($n: Int = 20) { contacts(first: $n) { nodes { id } } }',
  ],
  'a page of unknown size': [6 + 1 + 100, '{ contacts { nodes { id } } }'],
  'a list with a maximum': [6 + 1000, '{ webhooks { id } }'],
  'a page of such a list': [6 + 10, '{ contactProperties(first: 10) { id } }'],
  'a list of strings': [6 + 1 + 10 * 11, '{ contacts(first: 10) { nodes { tags } } }'],
  'a call for each entry': [6 + 10 * 6, '{ webhooks(first: 10) { token } }'],
  IDs: [1 + 3 * 5 + 3, '{ nodes(ids: ["a", "b", "c"]) { id } }'],
  'IDs in a variable': [
    1 + 10 + 2,
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    { ids: ['a', 'b'] },
  ],
  'IDs that are missing': [1 + 250 * 6, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'],
  aliases: [150 * 7, `{ ${many(150, (n) => `c${n}: contact(id: "x") { id }`)} }`],
  'fragments, wherever they are spread': [
    2 * 6 + 10 * 2 + 20 * 2,
    '{ a: webhooks(first: 10) { ...W } b: webhooks(first: 20) { ...W } } fragment W on Webhook { id url }',
  ],
  'the most costly of several operations': [
    6 + 2,
    'query A { me { id } } query B { me { id name } }',
  ],
  'an event': [1 + 2, 'subscription { events { id kind } }'],
  'introspection, which has a limit of its own': [0, getIntrospectionQuery()],
};

for (const [name, [cost, query, variables]] of Object.entries(documents)) {
  test(`counts ${name}`, (t) => {
    t.is(costOfDocument(query, variables as Record<string, unknown>), cost);
  });
}

test('accepts all plain fields of every list of objects at once', (t) => {
  t.true(
    costOfDocument(`{ webhooks { id url events token createdAt status disabledReason lastSuccessAt
      lastFailureAt } }`) <= documentLimits.cost,
  );
  t.notThrows(() =>
    costOfDocument('{ contactProperties { id name label type description createdAt } }'),
  );
});

test('the error names the cost, the limit and the field that costs most', (t) => {
  const error = t.throws<GraphQLError>(() =>
    costOfDocument(
      '{ me { id } hooks: webhooks { url deliveries(first: 10) { nodes { attempts { number } } } } }',
    ),
  );
  t.regex(error.message, /costs 568,013; the limit is 15,000\..*`hooks.deliveries.nodes.attempts`/);
  t.like(error.extensions, {
    code: 'query_too_costly',
    cost: 568_013,
    limit: 15_000,
    field: 'hooks.deliveries.nodes.attempts',
  });
});

test('every list of the schema has a maximum number of entries', (t) => {
  const unbounded = fieldsOfObjects().filter(
    ({ type, field }) =>
      isListType(getNullableType(field.type)) &&
      costOf(field).entriesMax === undefined &&
      !type.endsWith('Connection'),
  );
  t.deepEqual(unbounded.map(pathOf), []);
});

test('every field with a resolver of its own declares whether it calls a service', (t) => {
  const undeclared = fieldsOfObjects().filter(
    ({ type, field }) =>
      !['Query', 'Mutation', 'Subscription'].includes(type) &&
      field.resolve !== undefined &&
      costOf(field).calls === undefined,
  );
  // They show what the resource contains.
  t.deepEqual(undeclared.map(pathOf), ['Contact.property', 'Webhook.events']);
});

test('the reference states the limits, and the cost of its example', (t) => {
  const { tokens, depth, introspectionDepth, cost, eventCost, aliases, repetitions, length } =
    documentLimits;
  const rowOf = (text: string) => reference.split('\n').find((line) => line.includes(text)) ?? '';
  for (const [row, limit] of [
    ['documents of a request', length],
    ['documents of a request', `${tokens.toLocaleString('en-US')} tokens`],
    ['variables of a request', `${variableLimits.bytes / 1024} KiB`],
    ['variables of a request', `${variableLimits.values.toLocaleString('en-US')} JSON values`],
    ['variables of a request', `${variableLimits.depth} levels`],
    ['A response lists at most', errorsMax],
    ['| body |', requestBytesMax / 1024],
    ['levels of fields', depth],
    ['below `__schema`', introspectionDepth],
    ['of all operations of a request', cost],
    ['cost of a subscription', eventCost],
    ['| aliases', aliases],
    ['number of repetitions', repetitions],
    ['operations of a batch |', batchMax],
    ['results of services', resultBytesMax / 1024 / 1024],
    ['a `filter` of `contacts`', searchCost],
  ] as const)
    t.true(rowOf(row).includes(limit.toLocaleString('en-US')), row);
  const [, example = ''] = /```graphql\n([^]*?)```/.exec(reference) ?? [];
  const total = costOfDocument(example).toLocaleString('en-US');
  t.true(example.includes(`# ${total} in total`), total);
});

function fieldsOfObjects() {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__')
      ? Object.values(type.getFields()).map((field) => ({ type: type.name, field }))
      : [],
  );
}

const pathOf = ({ type, field }: ReturnType<typeof fieldsOfObjects>[number]) =>
  `${type}.${field.name}`;
