import { defineEntity, p } from '@mikro-orm/core';

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
  },
});
