import { defineEntity, p } from '@mikro-orm/core';

/** Why a row of an import was refused. A row may have several errors. */
export const ImportError = defineEntity({
  name: 'ImportError',
  tableName: 'import_errors',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    importId: p.uuid().primary(),
    row: p.integer().primary(),
    n: p.smallint().primary(),
    pointer: p.text(),
    code: p.text(),
    message: p.text(),
  },
});
