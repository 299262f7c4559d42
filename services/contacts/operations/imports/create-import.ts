import {
  Fault,
  importLimits,
  operations,
  requirePermission,
  uuidOf,
  type Operations,
} from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/storage';
import { storedTraceOf } from '../../jobs/job-trace.js';
import { auditLog, type ContactsService } from '../../service.js';
import { announceImports } from '../../imports/announce-imports.js';
import { importColumns, importShape, type ImportRecord } from '../../imports/import-shape.js';

type CreateImport = Operations['imports.create'];

/** Creates an import that receives rows. */
export const createImport = (service: ContactsService): SessionHandler<CreateImport> =>
  each<CreateImport>((call, session) =>
    session.transaction(async (inner) => {
      const { input, caller } = call;
      const { ids } = service;
      const workspaceId = uuidOf('workspace', caller.workspaceId);
      await inner.query(lock, [workspaceId]);
      const { format, mode, dryRun, events, fileName, resubscribe = false } = input;
      if (resubscribe) requirePermission(caller, operations['contacts.resubscribe']);
      // A separate statement: it sees what was committed during the wait for the lock.
      const [record] = await inner.query<ImportRecord>(insert, [
        ...[workspaceId, ids.next(), format, mode, dryRun],
        importLimits.active,
        events,
        fileName ?? null,
        resubscribe,
        storedTraceOf(call),
      ]);
      if (!record) throw tooMany;
      const shape = importShape(record);
      await auditLog.record(inner, call, {
        action: 'import.created',
        resourceId: shape.id,
        after: { format, mode, dryRun, events, ...(resubscribe && { resubscribe }) },
      });
      await announceImports(service, inner, [record]);
      return { import: shape };
    }),
  );

const tooMany = new Fault(
  'limit_reached',
  `A workspace can have at most ${importLimits.active} imports that have not ended.`,
);

/** Serializes creations in one workspace, so that none exceeds the limit. */
const lock: Statement = {
  name: 'imports.lock-workspace',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:imports:' || $1, 0))`,
};

const insert: Statement = {
  name: 'imports.create',
  text: `
    insert into contacts.imports as i (workspace_id, id, status, format, mode, dry_run, events, file_name, resubscribe, trace)
    select $1::uuid, $2::uuid, 'uploading', $3, $4, $5::boolean, $7, $8, $9::boolean, $10
    where (
      select count(*) from contacts.imports
      where workspace_id = $1 and status in ('uploading', 'queued', 'running')
    ) < $6::int
    returning ${importColumns('i')}`,
};
