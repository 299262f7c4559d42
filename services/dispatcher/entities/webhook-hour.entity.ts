import { defineEntity, p } from '@mikro-orm/core';

/** Statistics of the attempts of one webhook in one hour. */
export const WebhookHour = defineEntity({
  name: 'WebhookHour',
  tableName: 'webhook_hours',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    hour: p.datetime(6).primary(),
    attempts: p.bigint('number'),
    successes: p.bigint('number'),
    /** Attempts by duration: see count-attempts.ts. */
    durations: p.array((text) => Number(text)).columnType('bigint[]'),
  },
  indexes: [{ name: 'webhook_hours_hour', properties: 'hour', type: 'brin' }],
});
