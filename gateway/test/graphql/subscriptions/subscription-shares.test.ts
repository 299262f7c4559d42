import { eventually } from '@roster/testing';
import test from 'ava';
import { subscriptionLimits } from '../../../graphql/subscriptions/subscription-limits.js';
import { gatewayFor } from '../../test-gateway.js';
import { followEvents, followLiveEvents } from './follow-events.js';
import { openSubscriptions } from './open-subscriptions.js';
import { PublishedEvents } from './published-events.js';
import { transports } from './transports.js';

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: subscriptions of a key over its limit end with rate_limited; another key of the workspace is served`, async (t) => {
    const gateway = await gatewayFor(t);
    const events = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    // In two halves: the operations of one WebSocket have the same limit.
    const clients = [transport(t, gateway.url, key), transport(t, gateway.url, key)];
    const { perKey } = subscriptionLimits;
    const within = Array.from({ length: perKey }, (_, n) => followEvents(clients[n % 2]!));
    await eventually(async () => (await openSubscriptions(gateway)) === perKey);
    const beyond = followEvents(transport(t, gateway.url, key));
    await eventually(() => beyond.end);
    t.deepEqual(beyond.codes, ['rate_limited']);
    const { workspaceId } = key;
    const other = gateway.stubs.makeKey({ workspaceId });
    t.deepEqual(
      (await followLiveEvents(transport(t, gateway.url, other), events, other)).codes,
      [],
    );
    t.deepEqual(within.map(({ codes }) => codes).flat(), []);
    within[0]!.stop();
    await eventually(async () => (await openSubscriptions(gateway)) === perKey);
    const again = await followLiveEvents(transport(t, gateway.url, key), events, key);
    t.deepEqual(again.codes, []);
  });

  test(`${name}: a workspace can have half of the subscriptions; those of another are not affected`, async (t) => {
    const gateway = await gatewayFor(t, { SUBSCRIPTIONS_MAX: 4 });
    const events = await PublishedEvents.open(gateway.stubs);
    const { workspaceId } = gateway.stubs.makeKey();
    const keyOf = () => gateway.stubs.makeKey({ workspaceId });
    const follow = (key = keyOf()) => followEvents(transport(t, gateway.url, key));
    const own = [follow(), follow()];
    await eventually(async () => (await openSubscriptions(gateway)) === 2);
    const beyond = follow();
    await eventually(() => beyond.end);
    t.deepEqual(beyond.codes, ['rate_limited']);
    const other = gateway.stubs.makeKey();
    const neighbour = await followLiveEvents(transport(t, gateway.url, other), events, other);
    t.deepEqual(neighbour.codes, []);
    await eventually(async () => {
      await events.publish(workspaceId, 'own');
      return own.every(({ names }) => names.includes('own'));
    });
    t.false(neighbour.names.includes('own'));
  });
}
