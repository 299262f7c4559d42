import { defineEntity, p } from '@mikro-orm/core';

/**
 * The erasure of a contact: how far it is, and, when it has ended, that the contact must be erased again after the restore of an
 * older backup. It then contains nothing of the contact but its ID and a keyed hash of its address.
 */
export const Erasure = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    /** `contacts.suppression_hash` of the last `emailKey`. Null if the contact had been deleted before. */
    addressHash: p.blob().nullable(),
    status: p.text(),
    step: p.text().nullable(),
    /** What is searched for, as JSON. Null when the erasure has ended. */
    known: p.text().nullable(),
    /** Sequence of the next message of the stream, and that of the last one. Null until all events of the contact are published. */
    position: p.bigint().nullable(),
    until: p.bigint().nullable(),
    /** Messages of the stream whose other events are written to the outbox again, and which are to be removed, as JSON. */
    pending: p.text().nullable(),
    /** The last event that the dispatcher has visited. */
    reached: p.text().nullable(),
    events: p.integer().defaultRaw('0'),
    deliveries: p.integer().defaultRaw('0'),
    records: p.integer().defaultRaw('0'),
    /** When the next slice may be done. */
    nextAt: p.datetime(6).defaultRaw('now()'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    endedAt: p.datetime(3).nullable(),
    /** Of the request that created it, as `traceText` writes it; null if that was not traced. */
    trace: p.text().nullable(),
  },
  uniques: [{ name: 'erasures_contact', properties: ['workspaceId', 'contactId'] }],
  indexes: [
    {
      name: 'erasures_runnable',
      properties: ['workspaceId', 'id'],
      where: `status in ('queued', 'running')`,
    },
  ],
  checks: [
    {
      name: 'erasures_status_check',
      expression: `status in ('queued', 'running', 'completed')`,
    },
  ],
});
