import { encodeId } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { resultBytesMax } from '../../../graphql/document/limits.js';
import { contactId, createdAt, deliveryId, webhookId } from '../../stub-results.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { codesOf, executeGraphql } from '../execute-graphql.js';
import { many } from './hostile-documents.js';

const kibibyte = 'x'.repeat(1024);
const contactOf = (kibibytes: number) => ({
  id: contactId,
  email: 'ada@example.com',
  name: 'Ada',
  createdAt,
  tags: [],
  properties: Object.fromEntries(Array.from({ length: kibibytes }, (_, n) => [`p${n}`, kibibyte])),
  status: 'subscribed',
});

let gateway: TestGateway;
test.before(async () => {
  gateway = await testGateway();
  const { stubs } = gateway;
  stubs.answer('contacts.page', ({ input }) => {
    const { limit, after } = input as { limit: number; after?: string };
    const contact = contactOf(after === undefined ? 10 : 9);
    const contacts = Array.from({ length: limit }, () => contact);
    return { contacts, hasNext: false, hasPrevious: false, total: null };
  });
  stubs.answer('contacts.update', () => ({ contact: contactOf(100) }));
  const webhooks = Array.from({ length: 100 }, () => ({
    id: encodeId('webhook', randomUUID()),
    url: 'https://example.com/',
    events: [],
    createdAt,
    status: 'active',
  })).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  stubs.answer('webhooks.list', () => ({ webhooks }));
});
test.after.always(() => gateway.close());

test('answers result_too_large instead of a response of 48 MB that repeats 1 MB under aliases', async (t) => {
  const aliases = many(48, (n) => `p${n}: properties`);
  const { data, errors, text } = await executeGraphql(
    gateway,
    `{ contacts(first: 100) { nodes { ${aliases} } } }`,
  );
  t.is(data, null);
  t.deepEqual(codesOf({ errors: errors! }), ['result_too_large']);
  t.true(text.length < 1000);
});

test('a mutation with a result that is too large is executed, and its error says so', async (t) => {
  const aliases = many(100, (n) => `p${n}: properties`);
  const { errors } = await executeGraphql(
    gateway,
    `mutation { updateContact(input: { id: "${contactId}", name: "Ada" }) { contact { ${aliases} } } }`,
  );
  t.is(errors?.[0]?.extensions.code, 'result_too_large');
  t.regex(errors![0]!.message, /The mutation was executed/);
  t.is(gateway.stubs.calls('contacts.update').length, 1);
});

test('answers the pages whose results are within the limit together', async (t) => {
  const pages = many(10, (n) => `c${n}: contacts(first: 100, after: "x") { nodes { id } }`);
  const { data, errors, status } = await executeGraphql(gateway, `{ ${pages} }`);
  t.is(status, 200);
  const answered = Object.values(data as Record<string, unknown>).filter((page) => page !== null);
  t.is(answered.length, Math.floor(resultBytesMax / (100 * 9 * 1034)));
  t.is(errors!.length, 10 - answered.length);
  t.true(errors!.every(({ extensions }) => extensions.code === 'result_too_large'));
});

test('aliases of a list share one call, and return the page that each requests', async (t) => {
  const { data, text } = await executeGraphql(
    gateway,
    `{ all: webhooks { id } ${many(100, (n) => `w${n}: webhooks(first: 2) { id }`)} }`,
    {},
    { 'x-request-id': 'many-lists' },
  );
  const { all, w7 } = data as Record<string, { id: string }[]>;
  t.is(all!.length, 100, text.slice(0, 300));
  t.deepEqual(w7, all!.slice(0, 2));
  t.deepEqual(gateway.stubs.operationsCalledBy('many-lists'), ['webhooks.list']);
  const next = await executeGraphql(
    gateway,
    `{ webhooks(first: 2, after: "${all![1]!.id}") { id } }`,
  );
  t.deepEqual(next.data, { webhooks: all!.slice(2, 4) });
});

test('rejects a page of webhooks that is out of bounds', async (t) => {
  for (const first of [0, -1, 101]) {
    const { errors } = await executeGraphql(gateway, `{ webhooks(first: ${first}) { id } }`);
    t.is(errors?.[0]?.extensions.code, 'invalid');
    t.deepEqual(errors![0]!.extensions.errors, [
      { pointer: '/first', message: 'must be between 1 and 100' },
    ]);
  }
});

test('a delivery of more than 50 attempts requires last', async (t) => {
  const attempts = Array.from({ length: 51 }, (_, n) => ({ number: n + 1 }));
  gateway.stubs.answer('deliveries.get', () => ({
    delivery: { id: deliveryId, webhookId, payload: {}, attempts },
  }));
  const execute = (given: string) =>
    executeGraphql(gateway, `{ delivery(id: "${deliveryId}") { attempts${given} { number } } }`);
  const { errors } = await execute('');
  t.deepEqual(errors?.[0]?.extensions.errors, [
    { pointer: '/last', message: 'is required, because the list has more than 50 entries' },
  ]);
  const { data } = await execute('(last: 2)');
  t.deepEqual(data, { delivery: { attempts: [{ number: 50 }, { number: 51 }] } });
});

test('the operations of a batch cost at most as much together as one of them may', async (t) => {
  const query =
    '{ webhooks { id url createdAt status } all: webhooks { id url createdAt status } }';
  const send = async (count: number) => {
    const response = await gateway.post(
      '/graphql',
      Array.from({ length: count }, () => ({ query })),
    );
    const results = (await response.json()) as { errors?: { extensions: { code: string } }[] }[];
    return results.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions.code));
  };
  t.deepEqual(await send(6), []);
  t.deepEqual(await send(7), ['query_too_costly']);
});
