import { encodeId, type ErasureStep, type Operations, type OutputOf } from '@roster/contracts';

type ShownErasure = OutputOf<Operations['erasures.get']>['erasure'];

/** The columns of an erasure that clients see. */
export interface ErasureRecord {
  id: string;
  contact_id: string;
  status: ShownErasure['status'];
  step: ErasureStep | null;
  events: number;
  deliveries: number;
  records: number;
  /** Milliseconds since the epoch. */
  created_ms: number;
  ended_ms: number | null;
}

/** The columns of an `ErasureRecord`. */
export const erasureColumns = (alias: string): string =>
  `${['id', 'contact_id', 'status', 'step', 'events', 'deliveries', 'records'].map((name) => `${alias}.${name}`).join(', ')},
   date_part('epoch', ${alias}.created_at) * 1000 as created_ms,
   date_part('epoch', ${alias}.ended_at) * 1000 as ended_ms`;

/** An erasure in the format of the contract. */
export const erasureShape = (record: ErasureRecord): ShownErasure => ({
  id: encodeId('erasure', record.id),
  contactId: encodeId('contact', record.contact_id),
  status: record.status,
  step: record.step,
  events: record.events,
  deliveries: record.deliveries,
  records: record.records,
  createdAt: timeOf(record.created_ms),
  endedAt: record.ended_ms === null ? null : timeOf(record.ended_ms),
});

const timeOf = (ms: number): string => new Date(Math.round(ms)).toISOString();
