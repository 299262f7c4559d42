import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Client } from './client.js';
import { createResources, events, type Ids } from './owned-resources.js';
import { startReceiver } from './receiver.js';
import { sharedRoster } from './running-roster.js';

// test/security/matrix calls every operation with the IDs of another workspace's resources.
test('a second workspace sees no resources of the first, receives none of its events, and may use the same emails', async (t) => {
  const roster = await sharedRoster(t);
  const ours = await startReceiver();
  const theirs = await startReceiver();
  t.teardown(() => Promise.all([ours.stop(), theirs.stop()]));
  const owner = new Client(roster);
  const second = await roster.newWorkspace('Second');
  const stranger = new Client({ baseUrl: roster.baseUrl, apiKey: second.apiKey });
  const ids = await createResources(owner, ours.url);
  await stranger.post('/v1/webhooks', { url: theirs.url, events });
  await checkLists(t, stranger, ids);
  t.is((await stranger.get<{ user: { id: string } }>('/v1/users/me')).body.user.id, second.userId);
  await checkUniqueness(t, owner, stranger);

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
