import { encodeId, eventIdStart, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { createdAt } from '../../stub-results.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { followEvents, followLiveEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { transports } from './transports.js';

let gateway: TestGateway;
let events: PublishedEvents;
test.before(async () => {
  gateway = await testGateway();
  events = await PublishedEvents.open(gateway.stubs);
});
test.after.always(() => gateway.close());

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: receives the events of the workspace of the key, and no others`, async (t) => {
    const [key, other] = [gateway.stubs.makeKey(), gateway.stubs.makeKey()];
    const received = await followLiveEvents(transport(t, gateway.url, key), events, key);
    await events.publish(other.workspaceId, 'theirs');
    const id = await events.publish(key.workspaceId, 'mine');
    await eventually(() => received.names.includes('mine'));
    t.false(received.names.includes('theirs'));
    t.deepEqual(received.results.at(-1)!.data, {
      events: {
        __typename: 'ContactEvent',
        id,
        kind: 'CONTACT_CREATED',
        createdAt,
        contact: { name: 'mine' },
      },
    });
  });

  test(`${name}: receives only the selected kinds`, async (t) => {
    const key = gateway.stubs.makeKey();
    const kinds = ['CONTACT_UPDATED', 'CONTACT_DELETED'];
    const received = await followLiveEvents(transport(t, gateway.url, key), events, key, { kinds });
    await events.publish(key.workspaceId, 'created');
    await events.publish(key.workspaceId, 'deleted', 'CONTACT_DELETED');
    await eventually(() => received.names.includes('deleted'));
    t.false(received.names.includes('created'));
  });

  test(`${name}: resumes after an event, first with all events since then`, async (t) => {
    const key = gateway.stubs.makeKey();
    const ids: string[] = [];
    for (const one of ['a', 'b', 'c', 'd']) ids.push(await events.publish(key.workspaceId, one));
    const received = followEvents(transport(t, gateway.url, key), { after: ids[1] });
    await eventually(() => received.names.length === 2);
    await events.publish(key.workspaceId, 'e');
    await eventually(() => received.names.length === 3);
    t.deepEqual(received.names, ['c', 'd', 'e']);
    const atTheEnd = followEvents(transport(t, gateway.url, key), { after: received.ids.at(-1) });
    await eventually(async () => {
      await events.publish(key.workspaceId, 'f');
      return atTheEnd.names.length > 0;
    });
    t.is(atTheEnd.names[0], 'f');
  });

  test(`${name}: resumes after the event of a delivery, which may be repeated`, async (t) => {
    const key = gateway.stubs.makeKey();
    const ids: string[] = [];
    for (const one of ['a', 'b', 'c']) ids.push(await events.publish(key.workspaceId, one));
    // An event of another process, with the same time and counter.
    const [start, end] = [eventIdStart(uuidOf('event', ids[1]!)), randomUUID().slice(18)];
    ids.push(await events.publish(key.workspaceId, 'd', 'CONTACT_CREATED', `${start}${end}`));
    const resume = (event: string) => {
      const after = encodeId(
        'delivery',
        eventIdStart(uuidOf('event', event)) + randomUUID().slice(18),
      );
      return followEvents(transport(t, gateway.url, key), { after });
    };
    const afterFirst = resume(ids[0]!);
    await eventually(() => afterFirst.names.length === 3);
    t.deepEqual(afterFirst.names, ['b', 'c', 'd']);
    for (const event of [ids[1]!, ids[3]!]) {
      const received = resume(event);
      await eventually(() => received.names.length === 2);
      t.deepEqual(received.names, ['c', 'd']);
    }
  });

  test(`${name}: answers not_found if the event to resume after is unknown, malformed or of another workspace`, async (t) => {
    const [key, other] = [gateway.stubs.makeKey(), gateway.stubs.makeKey()];
    await events.publish(key.workspaceId, 'mine');
    const unknown = encodeId('event', randomUUID());
    const theirs = await events.publish(other.workspaceId, 'theirs');
    const delivery = encodeId('delivery', uuidOf('event', theirs));
    for (const after of [unknown, theirs, delivery, 'junk']) {
      const received = followEvents(transport(t, gateway.url, key), { after });
      await eventually(() => received.codes.length > 0);
      t.deepEqual(received.codes, ['not_found'], after);
    }
  });
}
