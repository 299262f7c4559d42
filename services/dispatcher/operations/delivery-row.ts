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
}

/** Columns of a `DeliveryRow`, from a delivery `d` and its queue row `q`, if it has one. */
export const deliveryColumns = `
  d.id, d.webhook_id, d.event_id, d.kind, d.status, d.reason, jsonb_array_length(d.attempts) as attempt_count,
  (extract(epoch from d.created_at) * 1000)::float8 as created_ms,
  (extract(epoch from d.completed_at) * 1000)::float8 as completed_ms,
  case when q.due_at < 'infinity' then (extract(epoch from q.due_at) * 1000)::float8 end as due_ms`;

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
});

/** Attempts in the format of the contract: numbered, and without the fields that only the schedule uses. */
export const shownAttempts = (attempts: readonly Attempt[]) =>
  attempts.map(({ retryAfter: _retryAfter, ...attempt }, index) => ({
    number: index + 1,
    ...attempt,
  }));
