import { encodeId, Fault, faultMessages, requiresNaming } from '@roster/contracts';
import { eventually, sampleContent } from '@roster/testing';
import { documentOf } from '@roster/testing/graphql';
import test from 'ava';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { buildRosterSchema } from '../../graphql/build-schema.js';
import { restOperations, type RestOperation } from '../../rest/rest-operations.js';
import { followEvents, followLiveEvents } from '../graphql/subscriptions/follow-events.js';
import { PublishedEvents } from '../graphql/subscriptions/published-events.js';
import { transports } from '../graphql/subscriptions/transports.js';
import { problemIn } from '../problem-document.js';
import type { TestKey } from '../stub-services.js';
import { targetOf } from '../rest/path-of.js';
import { contactId, deliveryId, replayId, stubBytes, userId, webhookId } from '../stub-results.js';
import { bearer, testGateway, type TestGateway } from '../test-gateway.js';
import { TestTokens } from '../test-tokens.js';

const tokens = new TestTokens();
let gateway: TestGateway;
let events: PublishedEvents;
/** IDs of revoked keys. */
const revoked = new Set<string>();
/** IDs of keys that cannot be checked. */
const unavailable = new Set<string>();

test.before(async () => {
  gateway = await testGateway({ CALLER_PUBLIC_KEYS: tokens.publicKeys });
  gateway.stubs.answer('keys.check', ({ input }) => {
    const { keyId } = input as { keyId: string };
    if (unavailable.has(keyId)) return new Fault('unavailable', faultMessages.unavailable);
    return { valid: !revoked.has(keyId), now: new Date().toISOString() };
  });
  events = await PublishedEvents.open(gateway.stubs);
});
test.after.always(() => gateway.close());

const request = ({ apiKey }: TestKey, path: string, method = 'GET', body?: object) =>
  fetch(gateway.url + path, {
    method,
    headers: { ...bearer(apiKey), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const list = async (key: TestKey) => (await request(key, '/v1/contacts')).status;
const create = (key: TestKey) => request(key, '/v1/contacts', 'POST', { email: 'ada@example.com' });

const checksOf = ({ keyId }: TestKey) =>
  gateway.stubs
    .calls('keys.check')
    .filter(({ input }) => (input as { keyId: string }).keyId === keyId);

function revoke(key: TestKey): void {
  revoked.add(key.keyId);
  gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
}

test('tokens of a key are verified without a look-up, and their key is checked once', async (t) => {
  const key = gateway.stubs.makeKey();
  for (let n = 0; n < 5; n += 1) t.is(await list(tokens.of(key)), 200);
  t.is(checksOf(key).length, 1);
  const [called] = gateway.stubs
    .calls('contacts.list')
    .filter(({ caller }) => caller.keyId === key.keyId);
  t.is(called!.caller.workspaceId, key.workspaceId);
  t.regex(called!.caller.proof!, /^rst_k1\./, 'the token proves its caller to services');
});

test('concurrent requests with tokens of a key share one check of it', async (t) => {
  const key = gateway.stubs.makeKey();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => list(tokens.of(key, { validMs: 900_000 }))),
  );
  t.deepEqual(new Set(statuses), new Set([200]));
  t.is(checksOf(key).length, 1);
});

test('a token that is forged, changed or expired is refused', async (t) => {
  const key = gateway.stubs.makeKey();
  const token = tokens.of(key);
  const foreign = { id: 'k1', key: generateKeyPairSync('ed25519').privateKey };
  const [head, , signature] = token.apiKey.split('.');
  const stolen = tokens.of(gateway.stubs.makeKey()).apiKey.split('.')[1];
  const wrong = {
    forged: tokens.of(key, { signing: foreign }).apiKey,
    'of an unknown key': tokens.of(key, { signing: { ...foreign, id: 'k2' } }).apiKey,
    'with another payload': [head, stolen, signature].join('.'),
    expired: tokens.of(key, { validMs: 0 }).apiKey,
    'a statement for services': token.apiKey.replace('rst_', 'rcs_'),
    'too long': `${head}.${'A'.repeat(5000)}.${signature}`,
  };
  for (const [what, apiKey] of Object.entries(wrong)) {
    const response = await request({ ...key, apiKey }, '/v1/contacts');
    t.is(response.status, 401, what);
    t.regex(response.headers.get('www-authenticate')!, /error="invalid_token"/, what);
  }
  t.is(await list(token), 200);
});

test('a gateway that has seen no token of a process refuses an expired one of it, also while its key is cached', async (t) => {
  const key = gateway.stubs.makeKey();
  const expired = (signer: string) => tokens.of(key, { signer, ageMs: 901_000 });
  t.is(await list(expired('before')), 401);
  t.is(await list(tokens.of(key, { signer: 'another' })), 200);
  t.is(await list(expired('meanwhile')), 401);
  t.is(await list(tokens.of(key, { signer: 'one more', ageMs: 840_000 })), 200);
});

test('tokens end with their key, and those of other keys do not', async (t) => {
  const [key, other] = [gateway.stubs.makeKey(), gateway.stubs.makeKey()];
  t.is(await list(tokens.of(key)), 200);
  t.is(await list(tokens.of(other)), 200);
  const before = tokens.of(key);
  revoke(key);
  await eventually(async () => (await list(before)) === 401);
  t.is(await list(tokens.of(key)), 401);
  t.is(await list(tokens.of(other)), 200);
});

test('a token without a scope of its key does not have it', async (t) => {
  const key = gateway.stubs.makeKey();
  const response = await create(tokens.of({ ...key, scopes: ['user'] }));
  t.like(await problemIn(response), { status: 403, code: 'insufficient_scope' });
});

test('a read-only token reads, and changes nothing over REST and GraphQL', async (t) => {
  const token = tokens.of(gateway.stubs.makeKey(), { readOnly: true });
  t.is(await list(token), 200);
  t.is((await create(token)).status, 403);
  const query = `mutation { deleteContact(input: { id: "${contactId}" }) { deletedId } }`;
  const response = await request(token, '/graphql', 'POST', { query });
  const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
  t.deepEqual(
    errors.map(({ extensions }) => extensions.code),
    ['insufficient_scope'],
  );
});

test('a token that is limited to operations calls no others', async (t) => {
  const token = tokens.of(gateway.stubs.makeKey(), { operations: ['contacts.list'] });
  t.is(await list(token), 200);
  t.is((await create(token)).status, 403);
  const received = followEvents(transports.SSE(t, gateway.url, token));
  await eventually(() => received.end);
  t.deepEqual(received.names, []);
});

const schema = buildRosterSchema();

/** The status over REST, and the codes of the errors over GraphQL. */
async function answersTo(key: TestKey, operation: RestOperation): Promise<unknown[]> {
  const { type, body } = sampleContent(operation);
  const { method } = operation.http;
  const overRest = await fetch(gateway.url + targetOf(operation), {
    method,
    headers: { ...bearer(key.apiKey), 'content-type': type },
    body: method === 'GET' ? null : body,
  });
  const id = operation.resource ? encodeId(operation.resource, randomUUID()) : '';
  // A webhook without its secrets needs no naming.
  const document =
    operation.name === 'webhooks.get'
      ? { query: `{ webhook(id: "${id}") { token } }` }
      : documentOf(schema, operation, id);
  const overGraphql = await request(key, '/graphql', 'POST', document);
  const { errors = [] } = (await overGraphql.json()) as GraphqlBody;
  return [overRest.status, ...new Set(errors.map(({ extensions }) => extensions.code))];
}

interface GraphqlBody {
  errors?: { extensions: { code: string } }[];
}

for (const operation of restOperations.filter((one) => requiresNaming(one) && !one.requiresKey)) {
  const { name, http } = operation;
  test(`${name} is refused to tokens that do not name it, whatever the interface`, async (t) => {
    const key = gateway.stubs.makeKey();
    for (const readOnly of [true, false])
      t.deepEqual(await answersTo(tokens.of(key, { readOnly }), operation), [
        403,
        'insufficient_scope',
      ]);
    t.deepEqual(await answersTo(tokens.of(key, { operations: [name] }), operation), [http.status]);
  });
}

test('no field of GraphQL shows a secret or a user to a read-only token', async (t) => {
  const key = gateway.stubs.makeKey();
  const { webhook } = JSON.parse(stubBytes('webhooks.get')) as { webhook: object };
  const listed = { ...webhook, token: undefined, signingSecret: undefined };
  gateway.stubs.answer('webhooks.list', () => ({ webhooks: [listed] }));
  const secrets = ['token', 'signingSecret'].flatMap((field) => [
    `webhooks(first: 1) { ${field} }`,
    `webhook(id: "${webhookId}") { ${field} }`,
    `node(id: "${webhookId}") { ... on Webhook { ${field} } }`,
    `nodes(ids: ["${webhookId}"]) { ... on Webhook { ${field} } }`,
    `delivery(id: "${deliveryId}") { webhook { ${field} } }`,
    `replay(id: "${replayId}") { webhook { ${field} } }`,
  ]);
  const members = [
    'me { email }',
    'users(first: 1) { nodes { email } }',
    `user(id: "${userId}") { email }`,
    `node(id: "${userId}") { ... on User { email } }`,
  ];
  for (const field of [...secrets, ...members]) {
    const ask = async (one: TestKey) =>
      (await request(one, '/graphql', 'POST', { query: `{ ${field} }` })).text();
    const shown = /wht_secret|whsec_d2h0|ada@example\.com/;
    t.regex(await ask(key), shown, field);
    const refused = await ask(tokens.of(key, { readOnly: true }));
    t.notRegex(refused, shown, field);
    t.regex(refused, /insufficient_scope/, field);
  }
});

test('a token cannot create tokens', async (t) => {
  const key = gateway.stubs.makeKey();
  t.is((await request(key, '/v1/tokens', 'POST', {})).status, 201);
  const response = await request(tokens.of(key), '/v1/tokens', 'POST', {});
  t.is(response.status, 403);
  t.regex(await response.text(), /The browser token does not allow tokens\.create/);
});

for (const [name, transport] of Object.entries(transports)) {
  test.serial(`${name}: a subscription of a token ends with its key`, async (t) => {
    const key = gateway.stubs.makeKey();
    const client = transport(t, gateway.url, tokens.of(key, { operations: ['events'] }));
    const received = await followLiveEvents(client, events, key);
    revoke(key);
    await eventually(() => received.codes.length > 0 && received.end);
    t.deepEqual(received.codes, ['unauthenticated']);
  });

  test.serial(
    `${name}: a subscription of a token continues after a rotation of its key without an overlap`,
    async (t) => {
      const key = gateway.stubs.makeKey();
      const token = tokens.of(key);
      const ofKey = await followLiveEvents(transport(t, gateway.url, key), events, key);
      const ofToken = await followLiveEvents(transport(t, gateway.url, token), events, key);
      const checks = () => checksOf(key).length;
      const before = checks();
      gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
      await eventually(() => ofKey.end && checks() > before);
      await eventually(async () => {
        await events.publish(key.workspaceId, 'after rotation', 'CONTACT_UPDATED');
        return ofToken.end || ofToken.names.includes('after rotation');
      });
      t.deepEqual([ofKey.codes, ofToken.codes, ofToken.end], [['unauthenticated'], [], undefined]);
    },
  );

  test.serial(
    `${name}: a subscription of a token ends when its key may be revoked and cannot be checked`,
    async (t) => {
      const key = gateway.stubs.makeKey();
      const received = await followLiveEvents(
        transport(t, gateway.url, tokens.of(key)),
        events,
        key,
      );
      unavailable.add(key.keyId);
      gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
      await eventually(() => received.codes.length > 0 && received.end);
      t.deepEqual(received.codes, ['unavailable']);
    },
  );

  test.serial(`${name}: a subscription ends when its token expires`, async (t) => {
    const key = gateway.stubs.makeKey();
    const client = transport(t, gateway.url, tokens.of(key, { validMs: 3000 }));
    const received = await followLiveEvents(client, events, key);
    await eventually(() => received.codes.includes('unauthenticated') && received.end);
    t.regex(JSON.stringify(received), /browser token is malformed or has expired/);
  });
}
