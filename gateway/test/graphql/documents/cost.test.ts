import { subscribableKinds } from '@roster/contracts';
import test from 'ava';
import {
  getNullableType,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLError,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildRosterSchema, schemaFile } from '../../../graphql/build-schema.js';
import { DocumentChecker } from '../../../graphql/document/document-checker.js';
import { costOf, introspectionEntries, searchCost } from '../../../graphql/document/field-cost.js';
import {
  batchMax,
  documentLimits,
  resultBytesMax,
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
  'an object of a call, and tenths of its values': [6, '{ me { id name email } }'],
  'a page': [
    5 + 50 * 2 + 10 + 1,
    '{ contacts(first: 50) { totalCount edges { node { id } cursor } } }',
  ],
  'a page of a search': [
    5 + 250 + 50 + 5,
    'query ($f: ContactFilter) { contacts(first: 50, filter: $f, sort: EMAIL) { nodes { id } } }',
  ],
  'a page behind an offset': [
    5 + 250 + 50 + 5,
    '{ contacts(first: 50, offset: 100000) { nodes { id } } }',
  ],
  'a page in the order of a property': [
    5 + 250 + 50 + 5,
    '{ contacts(first: 50, sortProperty: {name: "age"}) { nodes { id } } }',
  ],
  'a page in another order': [
    5 + 50 + 5,
    '{ contacts(first: 50, sort: CREATED_AT_DESC) { nodes { id } } }',
  ],
  'a page from the end, by a variable': [
    5 + 30 + 3,
    'query ($n: Int) { contacts(last: $n) { nodes { id } } }',
    { n: 30 },
  ],
  'a page by the default of a variable': [
    5 + 20 + 2,
    'query ($n: Int = 20) { contacts(first: $n) { nodes { id } } }',
  ],
  'a page of unknown size': [5 + 100 + 10, '{ contacts { nodes { id } } }'],
  'a list with a maximum': [5 + 100 + 10, '{ webhooks { id } }'],
  'a page of such a list': [5 + 10 + 1, '{ contactProperties(first: 10) { id } }'],
  'a list of strings': [5 + 10 + 10 * 10, '{ contacts(first: 10) { nodes { tags } } }'],
  'values that are computed': [
    5 + 10 + 10,
    '{ contacts(first: 10) { nodes { property(name: "a") } } }',
  ],
  'a list of values that is computed': [
    5 + 10 + subscribableKinds.length,
    '{ webhooks(first: 10) { events } }',
  ],
  'a call for each entry': [5 + 10 + 10 * 5, '{ webhooks(first: 10) { token } }'],
  IDs: [3 * 5 + 1, '{ nodes(ids: ["a", "b", "c"]) { id } }'],
  'IDs in a variable': [
    10 + 1,
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    { ids: ['a', 'b'] },
  ],
  'IDs that are missing': [250 * 5 + 25, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'],
  aliases: [150 * 5 + 15, `{ ${many(150, (n) => `c${n}: contact(id: "x") { id }`)} }`],
  'fragments, wherever they are spread': [
    2 * 5 + 30 + 6,
    '{ a: webhooks(first: 10) { ...W } b: webhooks(first: 20) { ...W } } fragment W on Webhook { id url }',
  ],
  'the most costly of several operations': [
    5 + 50 + 5,
    'query A { me { id } } query B { webhooks(first: 50) { id } }',
  ],
  'an event': [1 + 1, 'subscription { events { id kind } }'],
  'introspection, which has a limit of its own': [0, getIntrospectionQuery()],
};

for (const [name, [cost, query, variables]] of Object.entries(documents)) {
  test(`counts ${name}`, (t) => {
    t.is(costOfDocument(query, variables as Record<string, unknown>), cost);
  });
}

test('accepts all plain fields of a page of each list, with nested lists and secrets', (t) => {
  for (const document of [
    `{ webhooks { id url events token createdAt status disabledReason lastSuccessAt lastFailureAt } }`,
    '{ contactProperties { id name label type description createdAt } }',
    `{ contacts(first: 100) { totalCount pageInfo { hasNextPage endCursor }
      edges { cursor node { id email name tags properties status createdAt } } } }`,
    '{ webhooks(first: 100) { id url deliveries(first: 10) { nodes { id kind status } } } }',
    '{ webhooks(first: 5) { id stats { hours { hour successes failures } } } }',
  ])
    t.true(costOfDocument(document) <= documentLimits.cost, document);
});

test('the sizes of introspection are those of the schema, or greater', (t) => {
  const types = Object.values(schema.getTypeMap());
  const most = (count: (type: GraphQLNamedType) => number) => Math.max(...types.map(count));
  const fields = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const directives = schema.getDirectives();
  const sizes = {
    types: types.length,
    directives: directives.length,
    fields: most((type) => fields(type).length),
    interfaces: most((type) => (isObjectType(type) ? type.getInterfaces().length : 0)),
    possibleTypes: most((type) =>
      isInterfaceType(type) ? schema.getPossibleTypes(type).length : 0,
    ),
    enumValues: most((type) => (isEnumType(type) ? type.getValues().length : 0)),
    inputFields: most((type) =>
      isInputObjectType(type) ? Object.keys(type.getFields()).length : 0,
    ),
    args: most((type) => Math.max(0, ...fields(type).map(({ args }) => args.length))),
    locations: Math.max(...directives.map(({ locations }) => locations.length)),
  };
  t.log(sizes);
  for (const [name, size] of Object.entries(sizes))
    t.true(introspectionEntries[name]! >= size, `${name}: ${size}`);
});

test('the error names the cost, the limit and the field that costs most', (t) => {
  const error = t.throws<GraphQLError>(() =>
    costOfDocument(
      '{ me { id } hooks: webhooks { url deliveries(first: 10) { nodes { attempts { number } } } } }',
    ),
  );
  t.regex(error.message, /costs 61,621; the limit is 2,000\..*`hooks.deliveries.nodes.attempts`/);
  t.like(error.extensions, {
    code: 'query_too_costly',
    cost: 61_621,
    limit: 2000,
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
  const { tokens, depth, introspectionDepth, cost, eventCost, repetitions, length } =
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
    ['number of repetitions', repetitions],
    ['operations of a batch |', batchMax],
    ['results of services', resultBytesMax / 1024 / 1024],
    ['or an `offset` of `contacts`', searchCost],
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
