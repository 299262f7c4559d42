import { randomUUID } from 'node:crypto';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from './client.js';
import { startReceiver } from './receiver.js';
import { sharedAdminKey, sharedRoster } from './running-roster.js';

const path = '/v1/admin/workspaces';

interface Created {
  workspace: { id: string; name: string; status: string };
  apiKey: { secret: string };
}

const adminOf = (baseUrl: string) => new Client({ baseUrl, apiKey: sharedAdminKey });

/** A workspace that was created with an admin key, and a client with its API key. */
async function createWorkspace(baseUrl: string) {
  const admin = adminOf(baseUrl);
  const input = {
    ...{ name: 'Tenant', externalId: randomUUID() },
    ...{ ownerEmail: 'owner@example.com', ownerName: 'Owner' },
  };
  const { status, body } = await admin.post<Created>(path, input);
  const owner = new Client({ baseUrl, apiKey: body.apiKey.secret });
  return { admin, input, status, ...body, owner, one: `${path}/${body.workspace.id}` };
}

test('an admin key creates, finds and renames a workspace, whose key works at once', async (t) => {
  const { baseUrl } = await sharedRoster(t);
  const { admin, input, status, workspace, owner, one } = await createWorkspace(baseUrl);
  t.is(status, 201);
  t.is((await owner.post('/v1/contacts', { email: 'a@example.com' })).status, 201);
  const found = await admin.get<{ workspaces: object[] }>(`${path}?externalId=${input.externalId}`);
  t.deepEqual(found.body.workspaces, [workspace]);
  t.is((await admin.send('PUT', one, { name: 'Renamed' })).status, 200);
  const { body } = await admin.get<{ workspace: object }>(one);
  t.like(body.workspace, { name: 'Renamed' });
  t.is((await admin.get(`${one}/users`)).status, 200);
  t.is((await admin.post(path, input)).status, 409);
  t.is((await owner.get(path)).status, 401);
});

interface Usage {
  usage: {
    day: string;
    requests: number;
    contacts: number | null;
    deliveries: { attempts: number; succeeded: number };
  }[];
}

test('the operator and the workspace read what it used today', async (t) => {
  const { baseUrl } = await sharedRoster(t);
  const { admin, owner, one } = await createWorkspace(baseUrl);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const hook = { url: receiver.url, events: ['CONTACT_CREATED'] };
  t.is((await owner.post('/v1/webhooks', hook)).status, 201);
  for (const email of ['a@example.com', 'b@example.com'])
    t.is((await owner.post('/v1/contacts', { email })).status, 201);
  const today = async () => (await admin.get<Usage>(`${one}/usage`)).body.usage.at(-1)!;
  await eventually(async () => {
    const { requests, deliveries } = await today();
    return requests === 3 && deliveries.succeeded === 2;
  });
  t.like(await today(), { contacts: 2, deliveries: { attempts: 2 } });
  const { status, body } = await owner.get<Usage>('/v1/usage');
  t.is(status, 200);
  t.is(body.usage.length, 30);
  t.like(body.usage.at(-1), { contacts: 2 });
  const query = '{ usage { day requests contacts deliveries { attempts } } }';
  const graphql = await owner.post<{ data: Usage }>('/graphql', { query });
  t.like(graphql.body.data.usage.at(-1), { contacts: 2, deliveries: { attempts: 2 } });
  t.is((await owner.get('/v1/usage?from=2020-01-01')).status, 422);
});

test('a workspace is refused beyond its quotas, until they are raised, and its neighbour is not', async (t) => {
  const { baseUrl } = await sharedRoster(t);
  const { admin, owner, one } = await createWorkspace(baseUrl);
  const neighbour = await createWorkspace(baseUrl);
  const setQuotas = async (quotas: object) =>
    t.is((await admin.send('PUT', one, { quotas })).status, 200);
  await setQuotas({ contacts: 1 });
  const create = async (email: string) => {
    const { status, body } = await owner.post<{ code?: string }>('/v1/contacts', { email });
    return body.code ?? status;
  };
  t.is(await create('a@example.com'), 201);
  t.is(await create('b@example.com'), 'quota_exceeded');
  await setQuotas({ contacts: 2 });
  await eventually(async () => (await create('b@example.com')) === 201);
  await setQuotas({ contacts: null, requestsPerDay: 0 });
  await eventually(async () => (await create('c@example.com')) === 'daily_quota_exceeded');
  t.is((await neighbour.owner.post('/v1/contacts', { email: 'a@example.com' })).status, 201);
  await setQuotas({ requestsPerDay: null });
  await eventually(async () => (await create('c@example.com')) === 201);
});

test('a suspended workspace is refused by every interface, its deliveries wait, and nothing is lost', async (t) => {
  const { baseUrl } = await sharedRoster(t);
  const { admin, apiKey, owner, one } = await createWorkspace(baseUrl);
  const other = await createWorkspace(baseUrl);
  // The first attempt fails, so that a delivery is pending.
  const receiver = await startReceiver([500]);
  t.teardown(() => receiver.stop());
  const hook = { url: receiver.url, events: ['CONTACT_CREATED'] };
  t.is((await owner.post('/v1/webhooks', hook)).status, 201);
  t.is((await owner.post('/v1/contacts', { email: 'before@example.com' })).status, 201);
  await eventually(() => receiver.received.length > 0);
  t.is((await admin.post(`${one}/suspend`)).status, 200);
  for (const path of ['/v1/contacts', '/v1/users/me', '/v1/events', '/v1/webhooks']) {
    const { status, body } = await owner.get<{ code: string }>(path);
    t.like({ status, code: body.code }, { status: 403, code: 'workspace_suspended' }, path);
  }
  const graphql = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey.secret}`, 'content-type': 'application/json' },
    body: '{"query":"{ me { id } }"}',
  });
  t.is(graphql.status, 403);
  t.is((await other.owner.get('/v1/contacts')).status, 200);
  t.is((await admin.post(`${one}/resume`)).status, 200);
  t.is((await owner.post('/v1/contacts', { email: 'after@example.com' })).status, 201);
  const emails = () => receiver.received.map(({ body }) => body.data.contact!.email);
  await eventually(() => emails().filter((email) => email === 'before@example.com').length === 2, {
    timeoutMs: 90_000,
  });
  await eventually(() => emails().includes('after@example.com'));
  t.is(emails().length, 3);
});
