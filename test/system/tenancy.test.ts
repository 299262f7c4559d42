import { encodeId, resources } from '@roster/contracts';
import { eventually, sampleBody } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { randomUUID } from 'node:crypto';
import { Client } from './client.js';
import { createResources, events, shown, type Ids, type Shown } from './owned-resources.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster } from './running-roster.js';

test('a key of a second workspace reads and changes nothing of the first, and receives none of its events, on any endpoint', async (t) => {
  t.timeout(120_000);
  const roster = await startRoster({ env: patience });
  t.teardown(() => roster.discard());
  const ours = await startReceiver();
  const theirs = await startReceiver();
  t.teardown(() => Promise.all([ours.stop(), theirs.stop()]));
  const owner = new Client(roster);
  const second = await roster.newWorkspace('Second');
  const stranger = new Client({ baseUrl: roster.baseUrl, apiKey: second.apiKey });
  const ids = await createResources(owner, ours.url);
  await stranger.post('/v1/webhooks', { url: theirs.url, events });
  const before = await stateOf(owner, ids);

  for (const operation of shown) await checkOperation(t, operation, stranger, ids);
  await checkLists(t, stranger, ids);
  t.is((await stranger.get<{ user: { id: string } }>('/v1/users/me')).body.user.id, second.userId);
  await checkUniqueness(t, owner, stranger);

  t.deepEqual(await stateOf(owner, ids), before);
  await owner.put(`/v1/contacts/${ids.contact}`, { name: 'Renamed' });
  await eventually(() => ours.received.some(({ body }) => body.event === 'CONTACT_UPDATED'), {
    timeoutMs: 20_000,
  });
  await eventually(() => theirs.received.length > 0, { timeoutMs: 20_000 });
  t.deepEqual(
    theirs.received.map(({ body }) => body.event),
    ['CONTACT_CREATED'],
  );
  t.true(theirs.received.every(({ body }) => body.data.contact!.id !== ids.contact));
});

async function stateOf(owner: Client, ids: Ids): Promise<object> {
  const { body } = await owner.get<{ webhook: object }>(`/v1/webhooks/${ids.webhook}`);
  return {
    contact: (await owner.get(`/v1/contacts/${ids.contact}`)).body,
    // The times of its last deliveries change in the background.
    webhook: { ...body.webhook, lastSuccessAt: null, lastFailureAt: null },
    properties: (await owner.get('/v1/contact-properties')).body,
  };
}

/** An operation answers the ID of another workspace's resource like an unknown or malformed ID. */
async function checkOperation(t: ExecutionContext, operation: Shown, stranger: Client, ids: Ids) {
  const { name, http, resource } = operation;
  if (!resource) {
    if (http.method !== 'GET') return;
    const answer = JSON.stringify((await stranger.get(http.path)).body);
    for (const id of Object.values(ids)) t.false(answer.includes(id), `${name} shows ${id}`);
    return;
  }
  const id = (ids as Record<string, string>)[resource];
  if (id === undefined) {
    t.fail(`${name}: create a ${resource} in createResources of test/system/tenancy.test.ts`);
    return;
  }
  const body = http.method === 'GET' ? undefined : sampleBody(operation);
  const problemOf = async (of: string) => {
    const path = http.path.replace(`{${resources[resource].idField}}`, of);
    const answer = await stranger.send<Record<string, unknown>>(http.method, path, body);
    t.is(answer.status, 404, `${name} with ${of}`);
    return { ...answer.body, requestId: '' };
  };
  const problem = await problemOf(id);
  t.is((problem as { code?: unknown }).code, 'not_found', name);
  t.deepEqual(await problemOf(encodeId(resource, randomUUID())), problem, name);
  t.deepEqual(await problemOf('malformed'), problem, name);
}

async function checkLists(t: ExecutionContext, stranger: Client, ids: Ids) {
  const nodes = await stranger.post('/graphql', {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } contacts(first: 100) { nodes { id } } }',
    variables: { ids: Object.values(ids) },
  });
  t.deepEqual(nodes.body, {
    data: { nodes: Object.values(ids).map(() => null), contacts: { nodes: [] } },
  } as object);
  t.like((await stranger.get('/v1/contacts')).body, { contacts: [], pagination: { total: 0 } });
  t.like((await stranger.get('/v1/contact-properties')).body, { properties: [] });
  const { webhooks } = (await stranger.get<{ webhooks: object[] }>('/v1/webhooks')).body;
  t.is(webhooks.length, 1, 'only its own webhook');
}

/** Uniqueness applies within a workspace. */
async function checkUniqueness(t: ExecutionContext, owner: Client, stranger: Client) {
  const contact = { email: 'a@example.com', properties: { plan: 'free' } };
  t.is((await stranger.post('/v1/contacts', contact)).status, 201);
  const user = { email: 'new@example.com', name: 'N' };
  t.is((await stranger.post('/v1/users', user)).status, 201);
  t.is((await owner.post('/v1/users', user)).status, 201);
}
