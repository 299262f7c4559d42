import { defineEntity, p } from '@mikro-orm/core';

/** Rows of an import that are not applied yet, as JSON. */
export const ImportChunk = defineEntity({
  name: 'ImportChunk',
  tableName: 'import_chunks',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    importId: p.uuid().primary(),
    ordinal: p.integer().primary(),
    rows: p.text(),
  },
});
