import { defineEntity, p } from '@mikro-orm/core';

/** When an event last announced that a delivery of a webhook is dead. See `announceDead`. */
export const DeadAnnouncement = defineEntity({
  name: 'DeadAnnouncement',
  tableName: 'dead_announcements',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    announcedAt: p.datetime(6),
  },
});
