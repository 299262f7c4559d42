import { encodeId, type Operations, type OutputOf } from '@roster/contracts';
import type { Attempt } from '../attempt/attempt.js';
import type { DeliveryStatus } from '../delivery/delivery.js';

export type ListedDelivery = OutputOf<Operations['deliveries.retry']>['delivery'];

/** A delivery as returned by the statements. Moments in milliseconds since the epoch. */
export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  kind: string;
  status: DeliveryStatus;
  reason: string | null;
  attempt_count: number;
  created_ms: number;
  completed_ms: number | null;
  due_ms: number | null;
  last_attempt: Pick<Attempt, 'statusCode' | 'error' | 'totalMs'> | null;
  /** Null if the partition of the event was dropped at this moment. */
  event_body: string | null;
}

/**
 * Columns of a `DeliveryRow`, from a delivery `d` and its queue row `q`, if it has one. The event is a sub-select: PostgreSQL then
 * looks it up in the primary key, whatever it knows of the table.
 */
export const deliveryColumns = `
  d.id, d.webhook_id, d.event_id, d.kind, d.status, d.reason, jsonb_array_length(d.attempts) as attempt_count,
  (extract(epoch from d.created_at) * 1000)::float8 as created_ms,
  (extract(epoch from d.completed_at) * 1000)::float8 as completed_ms,
  case when q.due_at < 'infinity' then (extract(epoch from q.due_at) * 1000)::float8 end as due_ms,
  (d.attempts -> -1) - '{responseBody,responseHeaders}'::text[] as last_attempt,
  (select e.body from dispatcher.events e where e.workspace_id = d.workspace_id and e.id = d.event_id) as event_body`;

const momentOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(Math.round(ms)).toISOString();

export const listedDelivery = (row: DeliveryRow): ListedDelivery => ({
  id: encodeId('delivery', row.id),
  webhookId: encodeId('webhook', row.webhook_id),
  eventId: encodeId('event', row.event_id),
  kind: row.kind,
  status: row.status,
  reason: row.reason,
  attemptCount: row.attempt_count,
  createdAt: momentOf(row.created_ms)!,
  completedAt: momentOf(row.completed_ms),
  nextAttemptAt: momentOf(row.due_ms),
  subject: subjectOf(row.event_body),
  lastStatusCode: row.last_attempt?.statusCode ?? null,
  lastError: row.last_attempt?.error ?? null,
  lastTotalMs: row.last_attempt?.totalMs ?? null,
});

/** The contact of an event's body. Null if it has none, or is not that of an event: a service with stolen credentials can publish anything. */
export function subjectOf(body: string | null): ListedDelivery['subject'] {
  try {
    const { id, email } = (JSON.parse(body ?? '') as ContactBody).data.contact;
    return typeof id === 'string' && typeof email === 'string' ? { contactId: id, email } : null;
  } catch {
    return null;
  }
}

interface ContactBody {
  data: { contact: { id: unknown; email: unknown } };
}

/** Attempts in the format of the contract: numbered, and without the fields that only the schedule uses. */
export const shownAttempts = (attempts: readonly Attempt[]) =>
  attempts.map(({ retryAfter: _retryAfter, ...attempt }, index) => ({
    number: index + 1,
    ...attempt,
    traceId: attempt.traceId ?? null,
  }));
