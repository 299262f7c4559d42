import { defineEntity, p } from '@mikro-orm/core';

/**
 * The greatest contact id of each workspace. Creations of one workspace queue on its row, so that ids become visible in their
 * order and a reader who pages by id skips none.
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
