import { eventDetailsBytesMax, eventStream, type EventDetails } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { boundDetails } from '../../outbox/event.js';
import { newEvents, run, unpublished } from './running-outbox.js';

const contact = { tags: ['a'], properties: {}, status: 'subscribed' as const };
const bounded = (details: EventDetails) =>
  JSON.parse(boundDetails(JSON.stringify(details))) as EventDetails;
/** Properties of more than half the maximum, in bytes and not in characters. */
const large = (letter: string) => ({ city: letter.repeat(eventDetailsBytesMax / 4) });

test('keeps details of the maximum size unchanged', (t) => {
  const properties = { city: '' };
  const empty = JSON.stringify({ contact: { ...contact, properties } }).length;
  properties.city = 'x'.repeat(eventDetailsBytesMax - empty);
  const text = JSON.stringify({ contact: { ...contact, properties } });
  t.is(boundDetails(text), text);
  properties.city += 'x';
  t.deepEqual(bounded({ contact: { ...contact, properties } }).omitted, ['contact.properties']);
});

test('omits the former values first, and keeps the names of what changed', (t) => {
  const details = { contact: { ...contact, properties: large('ä') } };
  const previous = { name: 'A', properties: { ...large('ö'), plan: null } };
  t.deepEqual(bounded({ ...details, previous }), {
    ...details,
    changed: ['name', 'properties.city', 'properties.plan'],
    omitted: ['previous'],
  });
});

test('omits as much as necessary: the tags beside a change of all properties, and the largest tags', (t) => {
  const names = Array.from({ length: 1000 }, (_, n) => `${'p'.repeat(60)}${n}`);
  const previous = { properties: Object.fromEntries(names.map((name) => [name, 'x'.repeat(60)])) };
  const details = { ...contact, properties: previous.properties };
  const omitted = ['previous', 'contact.properties', 'changed'];
  const tags = Array.from({ length: 20 }, () => '\u{1f642}'.repeat(64));
  t.deepEqual(bounded({ contact: { ...details, tags }, previous }), {
    contact: { status: 'subscribed', tags },
    omitted,
  });
  const largest = Array.from({ length: 100 }, () => '\u{1f642}'.repeat(64));
  t.deepEqual(bounded({ contact: { ...details, tags: largest }, previous }), {
    contact: { status: 'subscribed' },
    omitted: [...omitted, 'contact.tags'],
  });
});

test('publishes details beside the body, up to the maximum size, after the commit and when swept', async (t) => {
  const { bus, database, outbox } = await run(t);
  const small = JSON.stringify({ contact });
  const max = `"${'ä'.repeat(eventDetailsBytesMax / 2 - 1)}"`;
  const events = newEvents(4).map((event, n) => ({
    ...event,
    details: [small, max, small, max][n]!,
  }));
  await database.transaction((session) => outbox.add(session, events.slice(0, 2)));
  // No process publishes these after their commit.
  await database.query(
    {
      name: 'test.insert',
      text: `insert into probe.outbox (workspace_id, id, kind, body, details, created_at)
        select *, now() - interval '1 hour' from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])`,
    },
    [
      events.slice(2).map(({ workspaceId }) => workspaceId),
      events.slice(2).map(({ id }) => id),
      events.slice(2).map(({ kind }) => kind),
      events.slice(2).map(({ body }) => body),
      events.slice(2).map(({ details }) => details),
    ],
  );
  await eventually(async () => (await unpublished(database)) === 0);
  const manager = await bus.link.nats.jetstreamManager();
  const published: string[] = [];
  for (const seq of [1, 2, 3, 4]) {
    const message = await manager.streams.getMessage(eventStream, { seq });
    published.push(message.header.get('Roster-Details'));
  }
  t.deepEqual(published.toSorted(), events.map(({ details }) => details).toSorted());
});
