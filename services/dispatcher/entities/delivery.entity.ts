import { defineEntity, p } from '@mikro-orm/core';

/** One event to one webhook, with its attempts. In daily partitions, see `Partitions`. */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    eventId: p.uuid(),
    webhookId: p.uuid(),
    kind: p.text(),
    /** Null if it is the body of the event. */
    body: p.text().nullable(),
    status: p.text(),
    reason: p.text().nullable(),
    attempts: p.json<unknown[]>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'deliveries_by_webhook', properties: ['workspaceId', 'webhookId', 'id'] },
    {
      name: 'deliveries_undelivered',
      properties: ['workspaceId', 'webhookId', 'id'],
      where: `status <> 'delivered'`,
    },
    {
      name: 'deliveries_undelivered_of_workspace',
      properties: ['workspaceId', 'id'],
      where: `status <> 'delivered'`,
    },
  ],
  checks: [
    {
      name: 'deliveries_status_check',
      expression: `status in ('pending', 'delivered', 'dead', 'skipped')`,
    },
  ],
});

/** An event with at least one delivery: its body, once for all of its deliveries. In daily partitions, see `Partitions`. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    body: p.text(),
    /** `traceparent` and `tracestate`, between them a space; null if what caused it was not traced. */
    trace: p.text().nullable(),
  },
});
