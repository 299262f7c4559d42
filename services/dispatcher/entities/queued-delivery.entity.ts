import { defineEntity, p } from '@mikro-orm/core';

/** A delivery that waits to be tried. */
export const QueuedDelivery = defineEntity({
  name: 'QueuedDelivery',
  tableName: 'queue',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    eventId: p.uuid(),
    /** How often it was tried. */
    attempts: p.integer(),
    trigger: p.text(),
    /** `infinity` while its webhook is disabled. */
    dueAt: p.datetime(6),
    /** Whose it is to try, until it is due again. */
    lease: p.uuid().nullable(),
  },
  indexes: [{ name: 'queue_due', properties: ['workspaceId', 'webhookId', 'dueAt'] }],
});
