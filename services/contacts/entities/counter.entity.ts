import { defineEntity, p } from '@mikro-orm/core';

/** The number of contacts of a workspace is the sum of its slots. Triggers on contacts maintain them. */
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
