import { eventually } from '@roster/testing';
import test from 'ava';
import { gatewayFor } from '../../test-gateway.js';
import { followEvents } from './follow-events.js';
import { openSubscriptions } from './open-subscriptions.js';
import { PublishedEvents } from './published-events.js';
import { overSse } from './transports.js';

test('rejects subscriptions over the configured maximum with unavailable, until one ends', async (t) => {
  const gateway = await gatewayFor(t, { SUBSCRIPTIONS_MAX: 1 });
  const events = await PublishedEvents.open(gateway.stubs);
  const key = gateway.stubs.makeKey();
  const first = followEvents(overSse(t, gateway.url, key));
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x');
    return first.names.length > 0;
  });
  const second = followEvents(overSse(t, gateway.url, key));
  await eventually(() => second.codes.length > 0);
  t.deepEqual(second.codes, ['unavailable']);
  first.stop();
  await eventually(async () => (await openSubscriptions(gateway)) === 0);
  const third = followEvents(overSse(t, gateway.url, key));
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x');
    return third.names.length > 0;
  });
  t.deepEqual(third.codes, []);
});
