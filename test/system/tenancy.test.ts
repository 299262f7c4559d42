import { encodeId, operations, resources, type Operation } from '@roster/contracts';
import { eventually, sampleBody } from '@roster/testing';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { Client, type Contact } from './client.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster } from './running-roster.js';

type Shown = Operation & Required<Pick<Operation, 'http'>>;
const shown = (Object.values(operations) as Operation[]).filter((one): one is Shown => !!one.http);

/** The webhook without the times of its last deliveries, which change in the background. */
async function withoutHealth(owner: Client, id: string): Promise<object> {
  const { body } = await owner.get<{ webhook: Record<string, unknown> }>(`/v1/webhooks/${id}`);
  return { ...body.webhook, lastSuccessAt: null, lastFailureAt: null };
}

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

  const { contact } = (
    await owner.post<{ contact: Contact }>('/v1/contacts', {
      email: 'a@example.com',
      properties: { plan: 'pro' },
    })
  ).body;
  const { webhook } = (
    await owner.post<{ webhook: { id: string } }>('/v1/webhooks', {
      url: ours.url,
      events: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
    })
  ).body;
  await stranger.post('/v1/webhooks', {
    url: theirs.url,
    events: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
  });
  const { properties } = (
    await owner.get<{ properties: { id: string }[] }>('/v1/contact-properties')
  ).body;
  const { delivery } = (
    await owner.post<{ delivery: { id: string } }>(`/v1/webhooks/${webhook.id}/test`, {
      kind: 'CONTACT_DELETED',
    })
  ).body;
  const { replay } = (
    await owner.post<{ replay: { id: string } }>(`/v1/webhooks/${webhook.id}/replays`, {
      since: new Date(0).toISOString(),
    })
  ).body;
  /** One resource of the owner of each kind. */
  const ids = {
    contact: contact.id,
    contactProperty: properties[0]!.id,
    webhook: webhook.id,
    delivery: delivery.id,
    replay: replay.id,
  };
  const stateOf = async () => ({
    contact: (await owner.get(`/v1/contacts/${contact.id}`)).body,
    webhook: await withoutHealth(owner, webhook.id),
    properties: (await owner.get('/v1/contact-properties')).body,
  });
  const before = await stateOf();

  for (const operation of shown) {
    const { name, http, resource } = operation;
    const body = http.method === 'GET' ? undefined : sampleBody(operation);
    if (!resource) {
      if (http.method !== 'GET') continue;
      const answer = JSON.stringify((await stranger.get(http.path)).body);
      for (const id of Object.values(ids)) t.false(answer.includes(id), `${name} shows ${id}`);
      continue;
    }
    const id = (ids as Record<string, string>)[resource];
    if (id === undefined) {
      t.fail(`${name}: have the owner make a ${resource} in test/system/tenancy.test.ts`);
      continue;
    }
    const refusalOf = async (of: string) => {
      const path = http.path.replace(`{${resources[resource].idField}}`, of);
      const answer = await stranger.send<Record<string, unknown>>(http.method, path, body);
      t.is(answer.status, 404, `${name} with ${of}`);
      return { ...answer.body, requestId: '' };
    };
    const refusal = await refusalOf(id);
    t.is((refusal as { code?: unknown }).code, 'not_found', name);
    t.deepEqual(await refusalOf(encodeId(resource, randomUUID())), refusal, name);
    t.deepEqual(await refusalOf('malformed'), refusal, name);
  }
  const nodes = await stranger.post('/graphql', {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } contacts(first: 100) { nodes { id } } }',
    variables: { ids: Object.values(ids) },
  });
  t.deepEqual(nodes.body, {
    data: { nodes: Object.values(ids).map(() => null), contacts: { nodes: [] } },
  } as object);
  t.like((await stranger.get('/v1/contacts')).body, { contacts: [], pagination: { total: 0 } });
  t.like((await stranger.get('/v1/contact-properties')).body, { properties: [] });
  t.is(
    (await stranger.get<{ webhooks: object[] }>('/v1/webhooks')).body.webhooks.length,
    1,
    'its own',
  );
  t.is((await stranger.get<{ user: { id: string } }>('/v1/users/me')).body.user.id, second.userId);
  // Uniqueness applies within a workspace.
  t.is(
    (await stranger.post('/v1/contacts', { email: 'a@example.com', properties: { plan: 'free' } }))
      .status,
    201,
  );
  t.is((await stranger.post('/v1/users', { email: 'new@example.com', name: 'N' })).status, 201);
  t.is((await owner.post('/v1/users', { email: 'new@example.com', name: 'N' })).status, 201);

  t.deepEqual(await stateOf(), before);
  await owner.put(`/v1/contacts/${contact.id}`, { name: 'Renamed' });
  await eventually(() => ours.received.some(({ body }) => body.event === 'CONTACT_UPDATED'), {
    timeoutMs: 20_000,
  });
  await eventually(() => theirs.received.length > 0, { timeoutMs: 20_000 });
  t.deepEqual(
    theirs.received.map(({ body }) => body.event),
    ['CONTACT_CREATED'],
  );
  t.true(theirs.received.every(({ body }) => body.data.contact!.id !== contact.id));
});
