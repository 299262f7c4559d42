import { defineEntity, p } from '@mikro-orm/core';

/**
 * The key of the unsubscribe links of a workspace. Links are not stored: without the key, those in emails that were sent stop
 * working.
 */
export const UnsubscribeKey = defineEntity({
  name: 'UnsubscribeKey',
  tableName: 'unsubscribe_keys',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    key: p.blob(),
  },
});
