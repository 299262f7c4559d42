import { defineEntity, p } from '@mikro-orm/core';

/** A delivery that waits for an attempt. */
export const QueuedDelivery = defineEntity({
  name: 'QueuedDelivery',
  tableName: 'queue',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    eventId: p.uuid(),
    /** Attempts made so far. */
    attempts: p.integer(),
    trigger: p.text(),
    /** `infinity` while its webhook is disabled. */
    dueAt: p.datetime(6),
    /** The claim of the process that attempts it, until it is due again. */
    lease: p.uuid().nullable(),
  },
  indexes: [
    { name: 'queue_due', properties: ['workspaceId', 'webhookId', 'dueAt'] },
    { name: 'queue_by_due_time', properties: 'dueAt', where: `due_at < 'infinity'` },
  ],
});
