import { eventually } from '@roster/testing';
import test from 'ava';
import { gatewayFor } from '../../test-gateway.js';
import { followEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { transports } from './transports.js';

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: receives each event exactly once across a restart of NATS`, async (t) => {
    const gateway = await gatewayFor(t);
    const events = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    const first = await events.publish(key.workspaceId, 'first');
    const received = followEvents(transport(t, gateway.url, key), { after: first });
    await events.publish(key.workspaceId, 'before');
    await eventually(() => received.names.includes('before'));
    await gateway.nats.restart();
    await eventually(() =>
      events.publish(key.workspaceId, 'after').then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => received.names.includes('after'), { timeoutMs: 20_000 });
    t.is(received.names[0], 'before');
    t.is(new Set(received.ids).size, received.ids.length);
    t.is(received.end, undefined);
  });
}
