import { defineEntity, p } from '@mikro-orm/core';

/** Requests of a workspace on a day. */
export const UsageDay = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    /** In UTC. */
    day: p.date().primary(),
    requests: p.bigint('number'),
  },
});

/** The last report of a gateway process that was added, so that none is added twice. */
export const UsageReport = defineEntity({
  name: 'UsageReport',
  tableName: 'usage_reports',
  schema: 'users',
  properties: {
    gateway: p.uuid().primary(),
    sequence: p.bigint('number'),
    reportedAt: p.datetime(3).defaultRaw('now()'),
  },
});
