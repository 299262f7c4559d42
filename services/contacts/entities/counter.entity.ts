import { defineEntity, p } from '@mikro-orm/core';

/** How many contacts a workspace has: the sum of its slots, which triggers on contacts keep. */
export const Counter = defineEntity({
  name: 'Counter',
  tableName: 'counters',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    slot: p.smallint().primary(),
    total: p.bigint('number'),
  },
});
