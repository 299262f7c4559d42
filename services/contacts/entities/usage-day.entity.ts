import { defineEntity, p } from '@mikro-orm/core';

/** Contacts that a workspace had when they were last counted on a day. */
export const UsageDay = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    /** In UTC. */
    day: p.date().primary(),
    contacts: p.bigint('number'),
  },
});
