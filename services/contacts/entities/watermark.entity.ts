import { defineEntity, p } from '@mikro-orm/core';

/**
 * The greatest contact ID of each workspace. Creations in a workspace lock its row, so that IDs become visible in ascending
 * order and a client that pages by ID skips none.
 */
export const Watermark = defineEntity({
  name: 'Watermark',
  tableName: 'watermarks',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    lastId: p.uuid(),
  },
});
