import type { Handler } from '@roster/bus';
import {
  encodeId,
  erasedContact,
  eventIdStart,
  redactedJson,
  timeOfId,
  uuidOf,
  type EventBody,
  type KnownValues,
  type Operations,
} from '@roster/contracts';
import { each, type Session, type SessionHandler, type Statement } from '@roster/storage';
import { momentId } from '../delivery/delivery.js';
import { deliveriesOfEvents, unqueueErased } from '../queue/queue-moves.js';
import type { DispatcherService } from '../service.js';
import { settleInTurns } from './settle-in-turns.js';

export const isAcknowledged =
  ({
    acknowledgedSequence,
  }: DispatcherService): Handler<Operations['dispatcher.is-acknowledged']> =>
  (calls) =>
    settleInTurns(calls, async ({ input: { sequence } }) => ({
      acknowledged: (await acknowledgedSequence()) >= sequence,
    }));

/** Events that a call reads. */
export const eventsMax = 1000;
const reason = 'The contact was erased.';
/** How much earlier than the contact an event of another process may be. */
const clockMarginMs = 60_000;

/**
 * Empties the next events of the contact: their deliveries are skipped if they are pending, and lose what receivers answered. An attempt
 * in flight loses its row of the queue, without which its outcome is not recorded.
 */
export const eraseContact: SessionHandler<Operations['dispatcher.erase-contact']> = each<
  Operations['dispatcher.erase-contact']
>(({ input }, session) =>
  session.transaction(async (inner) => {
    const { contactId, known } = input;
    const workspaceId = uuidOf('workspace', input.workspaceId);
    const emails = known.emails.map((email) => email.toLowerCase());
    const born = timeOfId(uuidOf('contact', contactId)) - clockMarginMs;
    const after = input.after === null ? momentId(born) : uuidOf('event', input.after);
    const rows = await inner.query<EventRow>(selectEvents, [
      ...[workspaceId, after, eventsMax, contactId],
    ]);
    const emptied = rows.flatMap(({ id, kind, body }) => {
      const text = body === null ? undefined : emptiedBody(kind, body, contactId, known);
      return text === undefined ? [] : [{ id, text, isOwn: kind.startsWith('CONTACT_') }];
    });
    const deliveries = await eraseDeliveries(workspaceId, emptied, inner);
    const reached = rows.length < eventsMax ? null : encodeId('event', rows.at(-1)!.id);
    const answers =
      reached === null ? await inner.query(emptyAnswers, [workspaceId, contactId, emails]) : [];
    return { reached, deliveries, records: answers.length };
  }),
);

interface EventRow {
  id: string;
  kind: string;
  /** Null if it contains nothing of the contact. */
  body: string | null;
}

interface Emptied {
  id: string;
  text: string;
  /** Whether it is about the contact. */
  isOwn: boolean;
}

/** The body without the contact. Undefined if it is about something else, and contains nothing of the contact. */
function emptiedBody(
  kind: string,
  body: string,
  contactId: string,
  known: KnownValues,
): string | undefined {
  if (kind.startsWith('CONTACT_')) return emptiedContact(body, contactId);
  const text = redactedJson(body, known);
  return text === body ? undefined : text;
}

function emptiedContact(body: string, contactId: string): string | undefined {
  try {
    const { data, ...event } = JSON.parse(body) as EventBody<'CONTACT_DELETED'>;
    if (data.contact.id !== contactId || data.erased) return undefined;
    const contact = erasedContact(contactId, data.contact.createdAt);
    return JSON.stringify({ ...event, data: { contact, erased: true } });
  } catch {
    // A service with stolen credentials can publish anything.
    return undefined;
  }
}

/** Rows of the queue are locked first: see the lock order in `queue-table.ts`. */
export async function eraseDeliveries(
  workspaceId: string,
  events: readonly Emptied[],
  inner: Session,
): Promise<number> {
  if (events.length === 0) return 0;
  const ids = events.map(({ id }) => id);
  const values = [
    ...[workspaceId, ids],
    ids.map((id) => `${eventIdStart(id)}-0000-000000000000`),
    ids.map((id) => `${eventIdStart(id)}-ffff-ffffffffffff`),
  ];
  await inner.query(unqueueErased, [...values, events.map(({ isOwn }) => isOwn)]);
  const emptied = await inner.query(emptyDeliveries, [
    ...values,
    events.map(({ isOwn }) => isOwn),
    reason,
  ]);
  await inner.query(emptyEvents, [workspaceId, ids, events.map(({ text }) => text)]);
  return emptied.length;
}

/** The next events, with the bodies of those that may contain something of the contact. Others are about users and webhooks. */
const selectEvents: Statement = {
  name: 'dispatcher.next-events',
  text: `
    select id, kind,
      case when kind like 'CONTACT\\_%' and position($4 in body) > 0 or kind in ('IMPORT_ENDED', 'ACTION_ENDED') then body end as body
    from (
      select id, kind, body from dispatcher.events where workspace_id = $1 and id > $2 order by id limit $3::int
    ) next
    order by id`,
};

/** A separate statement: it sees the outcomes that were recorded while the first one waited for their rows. */
const emptyDeliveries: Statement = {
  name: 'dispatcher.empty-deliveries',
  text: `
    with ${deliveriesOfEvents}
    update dispatcher.deliveries d
    set body = null,
      attempts = (
        select coalesce(jsonb_agg(a || '{"responseBody": "", "responseHeaders": {}}' order by n), '[]')
        from jsonb_array_elements(d.attempts) with ordinality as made (a, n)
      ),
      reason = case when d.status = 'pending' and o.is_own then $6 else d.reason end,
      completed_at = case when d.status = 'pending' and o.is_own then now() else d.completed_at end,
      status = case when d.status = 'pending' and o.is_own then 'skipped' else d.status end
    from of_events o where d.workspace_id = o.workspace_id and d.id = o.id
    returning 1`,
};

const emptyEvents: Statement = {
  name: 'dispatcher.empty-events',
  text: `
    update dispatcher.events e set body = i.body, trace = null
    from unnest($2::uuid[], $3::text[]) as i (id, body) where e.workspace_id = $1 and e.id = i.id`,
};

/** See `erasures.empty-answers` of the contacts service. */
const emptyAnswers: Statement = {
  name: 'dispatcher.empty-answers',
  text: `
    update dispatcher.idempotency_keys set answer = '', input_sha256 = ''
    where workspace_id = $1 and answer <> '' and (position($2 in answer) > 0
      or exists (select from unnest($3::text[]) email where position(email in lower(answer)) > 0))
    returning 1`,
};
