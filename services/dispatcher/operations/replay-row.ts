import { encodeId, type Operations, type OutputOf } from '@roster/contracts';
import type { DeliveryStatus } from '../delivery/delivery.js';

export type Replay = OutputOf<Operations['replays.get']>['replay'];

/** A replay as the statements return it. Moments in milliseconds since the epoch. */
export interface ReplayRow {
  id: string | null;
  webhook_id: string;
  since_ms: number;
  until_ms: number;
  delivery_status: DeliveryStatus | null;
  kinds: string[] | null;
  total: number;
  done: number;
  status: Replay['status'];
  created_ms: number;
}

/** Columns of a `ReplayRow`. */
export const replayColumns = `
  id, webhook_id, (extract(epoch from since) * 1000)::float8 as since_ms,
  (extract(epoch from until) * 1000)::float8 as until_ms, delivery_status, kinds,
  total::float8, done::float8, status, (extract(epoch from created_at) * 1000)::float8 as created_ms`;

const momentOf = (ms: number): string => new Date(Math.round(ms)).toISOString();

export const replayShape = (row: ReplayRow): Replay => ({
  id: row.id === null ? null : encodeId('replay', row.id),
  webhookId: encodeId('webhook', row.webhook_id),
  since: momentOf(row.since_ms),
  until: momentOf(row.until_ms),
  deliveryStatus: row.delivery_status,
  kinds: row.kinds,
  total: row.total,
  done: row.done,
  status: row.status,
  createdAt: momentOf(row.created_ms),
});
