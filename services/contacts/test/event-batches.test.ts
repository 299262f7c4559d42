import { encodeId, eventStream, splitEvents, uuidOf } from '@roster/contracts';
import { sqlOf } from '@roster/storage';
import { callAsSystem, eventually } from '@roster/testing';
import test from 'ava';
import { AddEventBatches } from '../migrations/2026-11-27-event-batches.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

interface Row {
  id: string;
  kind: string;
  body: string;
  stream_seq: string | null;
}

test('the events of a statement and workspace are one row and one message of the stream, which is published once', async (t) => {
  const { bus, database } = running();
  const workspace = newWorkspace(bus);
  const emails = Array.from({ length: 60 }, (_, n) => `${n}@example.com`);
  const created = await Promise.all(emails.map((email) => create(workspace, email)));
  const ids = created.map(({ contact }) => contact.id);
  await Promise.all(
    ids.map((contactId) => workspace.call('contacts.update', { contactId, name: 'New' })),
  );
  await Promise.all(ids.map((contactId) => workspace.call('contacts.unsubscribe', { contactId })));
  await Promise.all(ids.map((contactId) => workspace.call('contacts.delete', { contactId })));
  const rows = await eventually(async () => {
    const found = await database.query<Row>(
      {
        name: 'test.rows',
        text: 'select id, kind, body, stream_seq from contacts.outbox where workspace_id = $1',
      },
      [uuidOf('workspace', workspace.id)],
    );
    return found.every(({ stream_seq }) => stream_seq !== null) && found;
  });
  t.true(rows.length < 4 * 60, `${rows.length} rows`);
  const input = { since: new Date(0).toISOString(), olderThanSeconds: 3600, repair: false };
  const verified = await bus.call('contacts.verify-outbox', input, callAsSystem());
  t.like(verified, { unpublished: { count: 0 }, absent: { count: 0 }, next: null });
  t.true(verified.compared >= rows.length);
  const manager = await bus.link.nats.jetstreamManager();
  const events: string[] = [];
  for (const { id, kind, body, stream_seq } of rows) {
    const message = await manager.streams.getMessage(eventStream, { seq: Number(stream_seq) });
    t.is(message.header.get('Nats-Msg-Id'), encodeId('event', id));
    t.false(message.header.has('Roster-Again'), 'it is the message of the fast path');
    t.is(message.string(), body);
    t.is(message.subject, `events.${workspace.id}.${kind}`);
    const bodies = body.startsWith('{') ? [body] : splitEvents(body).map((event) => event.body);
    events.push(...bodies.map((each) => `${kind} ${contactOf(each)}`));
  }
  const kinds = ['CREATED', 'UPDATED', 'UNSUBSCRIBED', 'DELETED'];
  const expected = kinds.flatMap((kind) => ids.map((id) => `CONTACT_${kind} ${id}`));
  t.deepEqual(events.toSorted(), expected.toSorted());
});

const contactOf = (body: string) =>
  (JSON.parse(body) as { data: { contact: { id: string } } }).data.contact.id;

test.serial(
  'a migrated schema has rows of several events an hour later, a new one at once',
  async (t) => {
    const { database } = running();
    const run = (text: string) => database.query<{ minutes: string }>({ name: text, text }, []);
    const select = `select extract(epoch from batches_from - now()) / 60 as minutes from contacts.outbox_checkpoint`;
    const [fresh] = await run(select);
    t.true(Number(fresh!.minutes) <= 0);
    await run(`update contacts.migrations set executed_at = now() - interval '1 day'`);
    await run('alter table contacts.outbox_checkpoint drop column batches_from');
    const { statements } = await sqlOf({ name: 'event-batches', class: AddEventBatches });
    for (const statement of statements) await run(statement);
    const [migrated] = await run(`${select} -- migrated`);
    t.true(Number(migrated!.minutes) > 50);
  },
);
