import { encodeId } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { contactId, createdAt, deliveryId, propertyId } from '../../stub-results.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { executeGraphql } from '../execute-graphql.js';

let gateway: TestGateway;
test.before(async () => {
  gateway = await testGateway();
  const webhooks = Array.from({ length: 50 }, () => ({
    id: encodeId('webhook', randomUUID()),
    url: 'https://example.com/',
    events: ['CONTACT_CREATED'],
    createdAt,
    status: 'active',
  }));
  const delivery = { eventId: 'evt_1', kind: 'CONTACT_CREATED', status: 'pending', createdAt };
  gateway.stubs.answer('deliveries.list', ({ input }) => {
    const { webhookId } = input as { webhookId: string };
    const deliveries = [{ ...delivery, id: deliveryId, webhookId, attemptCount: 1 }];
    return { deliveries, pagination: { limit: 5, next: null, previous: null } };
  });
  gateway.stubs.answer('webhooks.list', () => ({ webhooks }));
  const property = { id: propertyId, label: 'City', type: 'string', createdAt };
  const properties = Array.from({ length: 30 }, (_, n) => ({ ...property, name: `p${n}` }));
  gateway.stubs.answer('contact-properties.list', () => ({ properties }));
});
test.after.always(() => gateway.close());

/** Number of NATS requests of an operation during `work`, and of the calls that they contain. */
async function counted(
  operation: string,
  work: () => Promise<unknown>,
): Promise<{ requests: number; calls: number }> {
  const before = gateway.stubs.batches(operation).length;
  await work();
  const batches = gateway.stubs.batches(operation).slice(before);
  return { requests: batches.length, calls: batches.reduce((sum, calls) => sum + calls, 0) };
}

const ok = async (query: string, variables?: Record<string, unknown>) => {
  const { errors, text } = await executeGraphql(gateway, query, variables);
  if (errors) throw new Error(text);
};

test.serial('150 aliases of one contact each cost one NATS request', async (t) => {
  const aliases = Array.from(
    { length: 150 },
    (_, n) => `c${n}: contact(id: "${contactId}") { id }`,
  );
  const count = await counted('contacts.get', () => ok(`{ ${aliases.join(' ')} }`));
  t.deepEqual(count, { requests: 1, calls: 150 });
});

test.serial('200 nodes cost one NATS request', async (t) => {
  const ids = Array.from({ length: 200 }, () => contactId);
  const count = await counted('contacts.get', () =>
    ok('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }),
  );
  t.deepEqual(count, { requests: 1, calls: 200 });
});

test.serial('a field of 50 webhooks with its own look-up costs one NATS request', async (t) => {
  const count = await counted('webhooks.get', () => ok('{ webhooks(first: 50) { id url token } }'));
  t.deepEqual(count, { requests: 1, calls: 50 });
  t.deepEqual(await counted('webhooks.get', () => ok('{ webhooks { id url } }')), {
    requests: 0,
    calls: 0,
  });
});

test.serial('50 webhooks with their recent deliveries cost two NATS requests', async (t) => {
  const document = `{ webhooks(first: 50) { id url deliveries(first: 5) { nodes { id status } } } }`;
  const before = gateway.stubs.callCount;
  const lists = await counted('webhooks.list', async () => {
    const count = await counted('deliveries.list', () => ok(document));
    t.deepEqual(count, { requests: 1, calls: 50 });
  });
  t.deepEqual(lists, { requests: 1, calls: 1 });
  t.is(gateway.stubs.callCount - before, 51, 'no other operation is called');
});

test.serial('all fields of many webhooks cost one NATS request per look-up', async (t) => {
  const document = `{ webhooks(first: 50) { token
    deliveries(first: 1) { nodes { payload attempts(last: 3) { statusCode } webhook { url } } } } }`;
  for (const operation of ['deliveries.list', 'deliveries.get'])
    t.deepEqual(
      await counted(operation, () => ok(document)),
      { requests: 1, calls: 50 },
      operation,
    );
  const work = () => ok('{ webhooks(first: 10) { stats { hours { attempts } } } }');
  t.deepEqual(await counted('webhooks.stats', work), { requests: 1, calls: 10 });
});

test.serial(
  'the tokens of 30 webhooks, and the webhooks of their deliveries, cost one NATS request each',
  async (t) => {
    const document = `{ webhooks(first: 30) { token deliveries(first: 1) { nodes { webhook { url } } } } }`;
    for (const operation of ['webhooks.get', 'webhooks.find'])
      t.deepEqual(await counted(operation, () => ok(document)), { requests: 1, calls: 30 });
  },
);

test.serial('the descriptions of all contact properties cost one NATS request', async (t) => {
  const work = () => ok('{ contactProperties { name description } }');
  t.deepEqual(await counted('contact-properties.get', work), { requests: 1, calls: 30 });
});

test.serial('200 concurrent queries for one contact each share batches', async (t) => {
  const { apiKey } = gateway.stubs.makeKey();
  const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(gateway.port)));
  const query = encodeURIComponent('query ($id: ID!) { contact(id: $id) { id email } }');
  const variables = encodeURIComponent(JSON.stringify({ id: contactId }));
  const { requests, calls } = await counted('contacts.get', async () => {
    const responses = sockets.map(async (socket) => {
      socket.write(
        `GET /graphql?query=${query}&variables=${variables} HTTP/1.1\r\nHost: x\r\n` +
          `Authorization: Bearer ${apiKey}\r\nConnection: close\r\n\r\n`,
      );
      return text(socket);
    });
    for (const response of await Promise.all(responses)) t.regex(response, /^HTTP\/1.1 200 /);
  });
  t.is(calls, 200);
  t.true(requests <= 8, `${requests} NATS requests`);
});

/** A connection that the gateway has accepted: libuv accepts one per turn, which would distribute the requests over turns. */
async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('HEAD / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}
