import { eventually } from '@roster/testing';
import test from 'ava';
import { Client, openRoster } from './client.js';
import { sharedRoster } from './running-roster.js';
import { subscribed } from './subscribed-receiver.js';

test('the end of an action on contacts is delivered, listed and shown over GraphQL', async (t) => {
  const shared = await sharedRoster(t);
  const { apiKey } = await shared.newWorkspace('Actions');
  const access = { ...shared, apiKey };
  const client = openRoster(access);
  const events = ['ACTION_ENDED' as const];
  const { received } = await subscribed(t, client, { payload: 'full', events });
  const filtered = await subscribed(t, client, { filter: { tag: ['vip'] } });
  await client.contacts.create({ email: 'a@example.com', tags: ['vip'] });
  const { id } = await client.contactActions.create({
    filter: { tag: ['any:vip,customer'] },
    change: { addTags: ['new'] },
  });
  await eventually(() => received.length > 0, { timeoutMs: 60_000 });
  const action = await client.contactActions.get(id);
  t.like(action, { status: 'completed', matched: 1, changed: 1 });
  t.like(received, { length: 1, 0: { body: { event: 'ACTION_ENDED', data: { action } } } });
  const { events: listed } = await client.eventLog.list({ kinds: events });
  t.deepEqual(
    listed.map(({ data }) => data),
    [{ action }],
  );
  const fields = '{ id status filter change changed failures endedAt }';
  const query = `{
    eventLog(first: 1, order: DESC) { nodes { kind ... on ActionEndedEvent { action ${fields} } } }
    contactActions(first: 1) { nodes ${fields} }
  }`;
  const { body } = await new Client(access).post<{ data: Record<string, { nodes: object[] }> }>(
    '/graphql',
    { query },
  );
  const { eventLog, contactActions } = body.data;
  const [shown] = contactActions!.nodes;
  t.like(shown, { id, status: 'COMPLETED', filter: { tag: ['any:vip,customer'] }, changed: 1 });
  t.deepEqual(eventLog!.nodes, [{ kind: 'ACTION_ENDED', action: shown }]);
  // A later change is announced: what precedes it has been delivered then.
  await client.contacts.create({ email: 'later@example.com', tags: ['vip'] });
  await eventually(() => filtered.received.length > 2, { timeoutMs: 60_000 });
  t.deepEqual(
    filtered.received.map(({ body: { event } }) => event),
    ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_CREATED'],
  );
});
