import type { Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/storage';
import { auditLog, type ContactsService } from '../../service.js';
import { announceImports } from '../../imports/announce-imports.js';
import {
  endOf,
  importColumns,
  importShape,
  type ImportRecord,
} from '../../imports/import-shape.js';
import { lockImport } from '../../imports/import-table.js';

type CancelImport = Operations['imports.cancel'];

/**
 * Waits for the slice that is being applied: afterwards, no row is. Idempotent: an import that has ended keeps its status.
 */
export const cancelImport = (service: ContactsService): SessionHandler<CancelImport> =>
  each<CancelImport>((call, session) =>
    session.transaction(async (inner) => {
      const { workspace_id, id, status } = await lockImport(call, inner);
      const [cancelled] = await inner.query<ImportRecord>(cancel, [workspace_id, id]);
      const shape = importShape(cancelled!);
      if (shape.status === status) return { import: shape };
      await auditLog.record(inner, call, {
        action: 'import.cancelled',
        resourceId: shape.id,
        before: { status },
        after: { status: shape.status },
      });
      await announceImports(service, inner, [cancelled!], call);
      return { import: shape };
    }),
  );

const cancel: Statement = {
  name: 'imports.cancel',
  text: `
    update contacts.imports i
    set status = case when ended_at is null then 'cancelled' else status end, ended_at = coalesce(ended_at, ${endOf('i')})
    where workspace_id = $1 and id = $2
    returning ${importColumns('i')}`,
};
