import { defineEntity, p } from '@mikro-orm/core';

/** The settings of a workspace. A workspace without a row has the defaults. */
export const Settings = defineEntity({
  name: 'Settings',
  tableName: 'settings',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    strictProperties: p.boolean(),
  },
});

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
