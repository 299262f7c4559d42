import test from 'ava';
import { Client } from './client.js';
import { sharedRoster } from './running-roster.js';

interface Log {
  entries: {
    action: string;
    actor: string;
    actorName: string;
    keyId: string;
    address: string;
    requestId: string;
  }[];
}

test('the audit log names the key, the address and the request of a change and of the reading of a token', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  const hook = { url: 'https://example.com/', events: ['CONTACT_CREATED'] };
  const { body } = await client.post<{ webhook: { id: string } }>('/v1/webhooks', hook);
  const { headers } = await client.get(`/v1/webhooks/${body.webhook.id}`);
  const { body: log } = await client.get<Log>('/v1/audit-log?limit=2');
  t.deepEqual(
    log.entries.map(({ action }) => action),
    ['webhook.token_read', 'webhook.created'],
  );
  const { body: me } = await client.get<{ user: { name: string } }>('/v1/users/me');
  const actorName = me.user.name;
  for (const { actor, actorName: named, keyId, address } of log.entries) {
    t.is(actor, roster.userId);
    t.is(named, actorName);
    t.regex(keyId, /^key_/);
    t.is(address, '127.0.0.1');
  }
  t.is(log.entries[0]!.requestId, headers.get('x-request-id')!);
  const query =
    '{ auditLog(first: 2, action: "webhook.token_read") { nodes { action address actorName } } }';
  t.deepEqual((await client.post('/graphql', { query })).body, {
    data: {
      auditLog: { nodes: [{ action: 'webhook.token_read', address: '127.0.0.1', actorName }] },
    },
  } as object);
});

test('a list that shows a token in several fields, of one webhook several times, is recorded as one reading', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  const hook = { url: 'https://example.com/', events: ['CONTACT_CREATED'] };
  const { body } = await client.post<{ webhook: { id: string } }>('/v1/webhooks', hook);
  const [a, b] = ['a', 'b'].map((name) => `${name}: webhook(id: "${body.webhook.id}") { token }`);
  const query = `{ webhooks(first: 1) { token signingSecret } ${a} ${b} }`;
  const { body: shown } = await client.post<{ data: { webhooks: object[] } }>('/graphql', {
    query,
  });
  t.truthy(shown.data, JSON.stringify(shown));
  const { body: log } = await client.get<Log>('/v1/audit-log?limit=2');
  t.deepEqual(
    log.entries.map(({ action }) => action),
    ['webhook.token_read', 'webhook.created'],
  );
});

test('a deletion has one entry with the address of its sender, over REST and GraphQL, also if it is repeated with its key', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  const once = { 'idempotency-key': 'delete-once' };
  const made = async (email: string) =>
    (await client.post<{ contact: { id: string } }>('/v1/contacts', { email })).body.contact.id;
  const [one, other] = [await made('one@example.com'), await made('other@example.com')];
  const query = `mutation { deleteContact(input: { id: "${other}" }) { deletedId } }`;
  for (let n = 0; n < 2; n += 1) {
    t.is((await client.send('DELETE', `/v1/contacts/${one}`, undefined, once)).status, 200);
    const { body } = await client.post<{ errors?: unknown }>('/graphql', { query }, once);
    t.is(body.errors, undefined);
  }
  const { body: log } = await client.get<{ entries: { resourceId: string; address: string }[] }>(
    '/v1/audit-log?action=contact.deleted',
  );
  t.deepEqual(
    log.entries.map(({ resourceId, address }) => [resourceId, address]),
    [
      [other, '127.0.0.1'],
      [one, '127.0.0.1'],
    ],
  );
});

test('a repeated request whose stored response shows a token is recorded as its reading, over REST and GraphQL', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  const hook = { url: 'https://example.com/', events: ['CONTACT_CREATED'] };
  const once = { 'idempotency-key': 'once' };
  const query = `mutation {
    hook: createWebhook(input: { url: "https://example.com/", events: [CONTACT_CREATED] }) { webhook { id token } }
  }`;
  const read = async (path: string, body: object) => {
    const first = await client.post<object>(path, body, once);
    const { headers, body: second } = await client.post<Replay>(path, body, once);
    t.true(
      headers.get('idempotency-replayed') === 'true' ||
        second.extensions?.idempotencyReplayed.length === 1,
    );
    t.like(second, first.body);
    const { body: log } = await client.get<Log>('/v1/audit-log?limit=2');
    t.deepEqual(
      log.entries.map(({ action }) => action),
      ['webhook.token_read', 'webhook.created'],
    );
    t.is(log.entries[0]!.requestId, headers.get('x-request-id')!);
  };
  await read('/v1/webhooks', hook);
  await read('/graphql', { query });
});

interface Replay {
  extensions?: { idempotencyReplayed: string[] };
}
