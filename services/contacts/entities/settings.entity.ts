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
