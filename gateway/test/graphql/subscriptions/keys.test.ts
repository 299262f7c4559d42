import { eventually } from '@roster/testing';
import test from 'ava';
import { bearer, testGateway, type TestGateway } from '../../test-gateway.js';
import { followEvents, followLiveEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { openWebSocket, overWebSocket, transports } from './transports.js';

let gateway: TestGateway;
let events: PublishedEvents;
test.before(async () => {
  gateway = await testGateway();
  events = await PublishedEvents.open(gateway.stubs);
});
test.after.always(() => gateway.close());

for (const [name, transport] of Object.entries(transports)) {
  test.serial(
    `${name}: the broadcast of a revocation ends the subscriptions of the key with unauthenticated, and no others`,
    async (t) => {
      const key = gateway.stubs.makeKey();
      const other = gateway.stubs.makeKey({ workspaceId: key.workspaceId });
      const received = await followLiveEvents(transport(t, gateway.url, key), events, key);
      const undisturbed = await followLiveEvents(transport(t, gateway.url, other), events, other);
      // The service still accepts the key, so that only the broadcast can end the subscription.
      gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
      await eventually(() => received.codes.includes('unauthenticated') && received.end);
      const before = undisturbed.names.length;
      await events.publish(key.workspaceId, 'after');
      await eventually(() => undisturbed.names.length > before);
      t.false(received.names.includes('after'));
    },
  );
}

test.serial('the subscriptions of a workspace that is suspended end with that code', async (t) => {
  const key = gateway.stubs.makeKey();
  const other = gateway.stubs.makeKey();
  const received = await followLiveEvents(overWebSocket(t, gateway.url, key), events, key);
  const undisturbed = await followLiveEvents(overWebSocket(t, gateway.url, other), events, other);
  gateway.stubs.suspend(key);
  gateway.stubs.bus.broadcast('workspaces.changed', { workspaceId: key.workspaceId });
  await eventually(() => received.codes.includes('workspace_suspended') && received.end);
  const before = undisturbed.names.length;
  await events.publish(other.workspaceId, 'after');
  await eventually(() => undisturbed.names.length > before);
  t.deepEqual(received.codes, ['workspace_suspended']);
});

test.serial('the broadcast of a rotation with an overlap ends no subscription', async (t) => {
  const key = gateway.stubs.makeKey();
  const received = await followLiveEvents(overWebSocket(t, gateway.url, key), events, key);
  const verified = gateway.stubs.calls('keys.verify').length;
  gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId, isValid: true });
  // The broadcast evicts the key, so that it has arrived once a request looks it up again.
  await eventually(async () => {
    await fetch(`${gateway.url}/v1/contacts`, { headers: bearer(key.apiKey) });
    return gateway.stubs.calls('keys.verify').length > verified;
  });
  const before = received.names.length;
  await events.publish(key.workspaceId, 'after rotation');
  await eventually(() => received.names.length > before);
  t.deepEqual(received.codes, []);
});

test.serial(
  'an open WebSocket accepts no further subscription after its key was revoked',
  async (t) => {
    const key = gateway.stubs.makeKey();
    const client = overWebSocket(t, gateway.url, key);
    const first = await followLiveEvents(client, events, key);
    gateway.stubs.revoke(key);
    gateway.stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
    await eventually(() => first.codes.includes('unauthenticated'));
    const second = followEvents(client);
    await eventually(() => second.codes.length > 0);
    t.deepEqual(second.codes, ['unauthenticated']);
  },
);

test('closes a WebSocket without a valid key with 4401', async (t) => {
  const socket = openWebSocket(t, gateway.url);
  socket.once('open', () => socket.send('{"type":"connection_init"}'));
  const code = await new Promise((resolve) => socket.once('close', resolve));
  t.is(code, 4401);
});
