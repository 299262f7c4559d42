import { Fault } from '@roster/contracts';
import test from 'ava';
import {
  contactId,
  deliveryId,
  propertyId,
  replayId,
  userId,
  webhookId,
} from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';
import { executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('looks up fields that list entries lack if they are selected', async (t) => {
  const { errors, data } = await execute(
    `{ webhook(id: "${webhookId}") { token stats { hours { hour attempts p95Ms } } }
       delivery(id: "${deliveryId}") { payload attempts { number statusCode } } }`,
  );
  t.is(errors, undefined);
  t.deepEqual(data, {
    webhook: { token: 'wht_secret', stats: { hours: [] } },
    delivery: { payload: { event: 'CONTACT_CREATED' }, attempts: [] },
  });
});

test('fields of one request that read the token of a webhook share one call', async (t) => {
  const webhooks = [{ id: webhookId, url: 'https://example.com/', events: [] }];
  gateway().stubs.answer('webhooks.list', () => ({ webhooks }));
  const headers = { 'x-request-id': 'reads-a-token' };
  const { errors } = await execute('{ webhooks { token signingSecret } }', {}, headers);
  t.is(errors, undefined);
  t.deepEqual(gateway().stubs.operationsCalledBy('reads-a-token'), [
    'webhooks.list',
    'webhooks.get',
  ]);
});

test('reads the secrets of a webhook only if they are selected', async (t) => {
  const operationsOf = async (document: string, id: string) => {
    const { errors } = await execute(document, {}, { 'x-request-id': id });
    t.is(errors, undefined);
    return new Set(gateway().stubs.operationsCalledBy(id));
  };
  const document = `{ webhook(id: "${webhookId}") { url } node(id: "${webhookId}") { id }
    delivery(id: "${deliveryId}") { webhook { url } } replay(id: "${replayId}") { webhook { url } } }`;
  t.deepEqual(
    await operationsOf(document, 'no-secret'),
    new Set(['webhooks.find', 'deliveries.get', 'replays.get']),
  );
  t.deepEqual(
    await operationsOf(`{ webhook(id: "${webhookId}") { signingSecret } }`, 'a-secret'),
    new Set(['webhooks.find', 'webhooks.get']),
  );
});

test('returns null for unknown and malformed IDs', async (t) => {
  gateway().stubs.answer('contacts.get', ({ input }) =>
    (input as { contactId: string }).contactId === contactId
      ? undefined
      : new Fault('not_found', 'No.'),
  );
  const unknown = contactId.replace('cont_01', 'cont_02');
  const { data, errors } = await execute(
    `{ a: contact(id: "${unknown}") { id } b: contact(id: "junk") { id } c: webhook(id: "wh_1") { id }
       d: node(id: "${unknown}") { id } e: node(id: "what_1") { id } f: node(id: "") { id }
       nodes(ids: ["${contactId}", "${unknown}", "usr_1"]) { __typename id } }`,
  );
  t.is(errors, undefined);
  t.deepEqual(data, {
    a: null,
    b: null,
    c: null,
    d: null,
    e: null,
    f: null,
    nodes: [{ __typename: 'Contact', id: contactId }, null, null],
  });
});

test('a contact is found, changed and deleted by its address, and the result has its ID', async (t) => {
  gateway().stubs.answer('contacts.delete', () => ({ deleted: true, id: contactId }));
  const headers = { 'x-request-id': 'by-address' };
  const { data, errors } = await execute(
    `mutation { updateContact(input: { id: "email:ada@example.com", name: "Ada" }) { contact { id } }
       deleteContact(input: { id: "email:ada@example.com" }) { deletedId } }`,
    {},
    headers,
  );
  t.is(errors, undefined);
  t.deepEqual(data, {
    updateContact: { contact: { id: contactId } },
    deleteContact: { deletedId: contactId },
  });
  await execute('{ contact(id: "email:ada@example.com") { id } }', {}, headers);
  for (const name of ['contacts.update', 'contacts.delete', 'contacts.get'] as const) {
    const sent = gateway()
      .stubs.calls(name)
      .filter(({ requestId }) => requestId === 'by-address');
    t.is((sent[0]!.input as { contactId: string }).contactId, 'email:ada@example.com', name);
  }
});

test('node finds objects of every type by the prefix of their IDs', async (t) => {
  const types = {
    [contactId]: 'Contact',
    [propertyId]: 'ContactProperty',
    [userId]: 'User',
    [webhookId]: 'Webhook',
    [deliveryId]: 'Delivery',
    [replayId]: 'Replay',
  };
  for (const [id, type] of Object.entries(types)) {
    const { data } = await execute(`query ($id: ID!) { node(id: $id) { __typename id } }`, { id });
    t.deepEqual(data, { node: { __typename: type, id } });
  }
});
