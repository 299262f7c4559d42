import { defineEntity, p } from '@mikro-orm/core';

/** Attempts of all webhooks of a workspace on a day. */
export const UsageDay = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    /** In UTC. */
    day: p.date().primary(),
    attempts: p.bigint('number'),
    successes: p.bigint('number'),
  },
});
