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
    /** Number of attempts so far. */
    attempts: p.integer(),
    trigger: p.text(),
    /** `infinity` while its webhook is disabled. */
    dueAt: p.datetime(6),
    /** ID of the claim by which a process attempts it, valid until it is due. */
    lease: p.uuid().nullable(),
  },
  indexes: [
    { name: 'queue_due', properties: ['workspaceId', 'webhookId', 'dueAt'] },
    { name: 'queue_by_due_time', properties: 'dueAt', where: `due_at < 'infinity'` },
  ],
});
