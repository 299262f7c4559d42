import type { Call } from '@roster/bus';
import { encodeId, operations, type Operations, type OutputOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Database } from '@roster/storage';
import { callAs } from '@roster/testing';
import test from 'ava';
import { deliveryId } from '../../delivery/delivery.js';
import { eraseContact, isAcknowledged } from '../../operations/erase-contact.js';
import { Partitions } from '../../queue/partitions.js';
import { recordOutcomes } from '../../queue/record-outcomes.js';
import type { DispatcherService } from '../../service.js';
import { dispatcherDatabase } from '../dispatcher-database.js';

type EraseContact = Operations['dispatcher.erase-contact'];

const ids = new IdClock();
const email = 'secret-ada@example.com';
const [workspaceId, webhookId, contactId, otherId] = Array.from({ length: 4 }, () => ids.next());
const contact = encodeId('contact', contactId!);
const bodyOf = (kind: string, id: string, address: string) =>
  JSON.stringify({
    event: kind,
    created_at: '2026-11-28T09:00:00.000Z',
    data: {
      contact: { id, email: address, name: 'Secret', createdAt: '2026-11-28T09:00:00.000Z' },
    },
  });

async function call(database: Database, after: string | null = null) {
  const workspace = encodeId('workspace', workspaceId!);
  const input = {
    workspaceId: workspace,
    contactId: contact,
    known: { emails: [email], others: [] },
    after,
  };
  const calls: Call[] = [
    {
      ...callAs({ workspaceId: workspace }),
      input: operations['dispatcher.erase-contact'].input.parse(input),
    },
  ];
  const [answer] = await eraseContact(calls as never, database);
  return answer as OutputOf<EraseContact>;
}

test("erases what deliveries of a contact have, skips those that are pending, and records nothing of an attempt in flight; others' remain", async (t) => {
  const database = await dispatcherDatabase(t);
  const partitions = new Partitions(database, 30);
  await partitions.prepare();
  const lease = ids.next();
  const delivery = (kind: string, body: string) => {
    const eventId = ids.next();
    const id = deliveryId(eventId, webhookId!);
    const own = { workspaceId: workspaceId!, webhookId: webhookId!, id, eventId };
    return { ...own, kind, body, ownBody: body, attempts: 0, trigger: 'event' } as never;
  };
  const attempt = { responseBody: `got ${email}`, responseHeaders: { echo: email }, totalMs: 1 };
  const delivered = delivery('CONTACT_CREATED', bodyOf('CONTACT_CREATED', contact, email));
  const pending = delivery('CONTACT_UPDATED', bodyOf('CONTACT_UPDATED', contact, email));
  const inFlight = delivery('CONTACT_UPDATED', bodyOf('CONTACT_UPDATED', contact, email));
  const other = encodeId('contact', otherId!);
  const ofOther = delivery('CONTACT_CREATED', bodyOf('CONTACT_CREATED', other, 'b@example.com'));
  const action = delivery(
    'ACTION_ENDED',
    JSON.stringify({ event: 'ACTION_ENDED', data: { action: { filter: { email: [email] } } } }),
  );
  await recordOutcomes(database, partitions, [
    ...[delivered, ofOther, action].map((one) => ({
      ...{ delivery: one, status: 'delivered' as const },
      attempt: attempt as never,
    })),
    { delivery: pending, status: 'pending', dueInSeconds: 60, attempt: attempt as never },
    { delivery: inFlight, status: 'pending', dueInSeconds: 60 },
  ]);
  await database.query(
    {
      name: 'test.lease',
      text: 'update dispatcher.queue set lease = $1 where workspace_id = $2 and delivery_id = $3',
    },
    [lease, workspaceId, (inFlight as { id: string }).id],
  );
  await database.query(
    {
      name: 'test.answer',
      text: `insert into dispatcher.idempotency_keys (workspace_id, key, operation, input_sha256, answer)
        values ($1, 'key', 'deliveries.retry', 'x', $2)`,
    },
    [workspaceId, JSON.stringify({ subject: { contactId: contact, email } })],
  );

  t.deepEqual(await call(database), { reached: null, deliveries: 4, records: 1 });
  await recordOutcomes(database, partitions, [
    {
      delivery: { ...(inFlight as object), lease } as never,
      ...{ status: 'delivered', attempt: attempt as never },
    },
  ]);
  const rows: string[] = [];
  for (const table of ['events', 'deliveries', 'queue', 'idempotency_keys'])
    for (const { row } of await database.query<{ row: string }>(
      { name: `test.${table}`, text: `select t::text as row from dispatcher.${table} t` },
      [],
    ))
      rows.push(row);
  const ofOthers = rows.filter((row) => row.includes((ofOther as { id: string }).id));
  t.true(
    ofOthers.some((row) => row.includes(email)),
    'a response about another contact is kept',
  );
  t.deepEqual(
    rows.filter((row) => row.includes(email) && !ofOthers.includes(row)),
    [],
  );
  const states = await database.query<{ status: string; reason: string | null }>(
    {
      name: 'test.states',
      text: 'select status, reason from dispatcher.deliveries order by event_id',
    },
    [],
  );
  const skipped = { status: 'skipped', reason: 'The contact was erased.' };
  t.like(states, [{ status: 'delivered' }, skipped, skipped]);
  t.is(rows.filter((row) => row.includes('b@example.com')).length > 0, true);
  t.deepEqual(await call(database), { reached: null, deliveries: 0, records: 0 });
});

test('a sequence is acknowledged when the consumer has acknowledged all up to it', async (t) => {
  const ask = async (acknowledgedSequence: () => Promise<number>) => {
    const workspace = encodeId('workspace', workspaceId!);
    const input = { workspaceId: workspace, sequence: 5 };
    const calls = [{ ...callAs({ workspaceId: workspace }), input }];
    const handle = isAcknowledged({ acknowledgedSequence } as unknown as DispatcherService);
    return (await handle(calls))[0];
  };
  t.deepEqual(await ask(async () => 4), { acknowledged: false });
  t.deepEqual(await ask(async () => 5), { acknowledged: true });
});
