import { eventually } from '@roster/testing';
import test from 'ava';
import { contactId } from '../../stub-results.js';
import { gatewayFor } from '../../test-gateway.js';
import { followEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { transports } from './transports.js';

const document = `subscription ($after: ID) {
  events(after: $after) {
    id
    deliveries(first: 1) { id }
    ... on ContactEvent { contact { name } current { __typename id status } }
  }
}`;
// Longer than a busy machine takes to verify the key.
const timeoutMs = 4000;

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: each event has its current contact and deliveries, also after the time-out of the request that subscribed`, async (t) => {
    const gateway = await gatewayFor(t, { REQUEST_TIMEOUT_MS: timeoutMs });
    const events = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    const after = await events.publish(key.workspaceId, 'first');
    const subscribedAt = performance.now();
    const received = followEvents(transport(t, gateway.url, key), { after }, document);
    await events.publish(key.workspaceId, 'early');
    await eventually(() => received.names.includes('early'));
    await eventually(() => performance.now() > subscribedAt + 2 * timeoutMs);
    await events.publish(key.workspaceId, 'late');
    await eventually(() => received.names.includes('late'));
    t.deepEqual(received.codes, []);
    const current = { __typename: 'Contact', id: contactId, status: 'SUBSCRIBED' };
    for (const { data } of received.results) t.like(data!['events'], { current, deliveries: [] });
  });
}

test('a key without the scope user receives events without their current contact', async (t) => {
  const gateway = await gatewayFor(t);
  const events = await PublishedEvents.open(gateway.stubs);
  const key = gateway.stubs.makeKey({ scopes: ['api_user'] });
  const after = await events.publish(key.workspaceId, 'first');
  const received = followEvents(transports.SSE(t, gateway.url, key), { after }, document);
  await events.publish(key.workspaceId, 'second');
  await eventually(() => received.names.includes('second'));
  t.deepEqual(new Set(received.codes), new Set(['insufficient_scope']));
});
