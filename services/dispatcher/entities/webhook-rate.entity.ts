import { defineEntity, p } from '@mikro-orm/core';

/** Attempts that processes were granted for a webhook with a maximum rate. See `RateGrants`. */
export const WebhookRate = defineEntity({
  name: 'WebhookRate',
  tableName: 'webhook_rates',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    /** The bucket was empty then: since then it has filled at its rate, up to its size. */
    freeAt: p.datetime(6),
    /** By the last request. */
    granted: p.integer(),
  },
});
