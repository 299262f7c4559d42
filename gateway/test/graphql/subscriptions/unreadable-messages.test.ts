import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { testGateway } from '../../test-gateway.js';
import { followEvents, followLiveEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { transports } from './transports.js';

for (const [name, transport] of Object.entries(transports))
  test(`${name}: messages in the stream that are not events are skipped, also when a subscription resumes before them`, async (t) => {
    const gateway = await testGateway();
    t.teardown(() => gateway.close());
    const { bus } = gateway.stubs;
    const events = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    const live = await followLiveEvents(transport(t, gateway.url, key), events, key);
    const before = await events.publish(key.workspaceId, 'before');
    const publisher = await bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
    const unreadable = [
      { id: 'evt_1', body: '{}' },
      { id: encodeId('event', randomUUID()), body: 'no JSON' },
      { id: encodeId('event', randomUUID()), body: 'null' },
    ];
    for (const message of unreadable)
      await publisher.publish({
        ...message,
        workspaceId: key.workspaceId,
        kind: 'CONTACT_CREATED',
      });
    await events.publish(key.workspaceId, 'after');
    await eventually(() => live.names.includes('after'));
    const resumed = followEvents(transport(t, gateway.url, key), { after: before });
    await eventually(() => resumed.names.length > 0);
    t.deepEqual(resumed.names, ['after']);
  });
