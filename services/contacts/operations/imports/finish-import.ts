import { Fault, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/storage';
import { createWatermark } from '../../writing/watermark.js';
import type { ContactsService } from '../../service.js';
import { announceImports } from '../../imports/announce-imports.js';
import {
  endOf,
  importColumns,
  importShape,
  type ImportRecord,
} from '../../imports/import-shape.js';
import { lockImport } from '../../imports/import-table.js';

type FinishImport = Operations['imports.finish'];

/** Ends an upload. An import that is not uploading keeps its status: the call may be a repetition. */
export const finishImport = (service: ContactsService): SessionHandler<FinishImport> =>
  each<FinishImport>(async (call, session) => {
    // Once, and not within the transaction of a slice.
    await createWatermark(service, call);
    return session.transaction(async (inner) => {
      const found = await lockImport(call, inner);
      const { chunks, total, failure } = call.input;
      if (found.status !== 'uploading') return { import: importShape(found) };
      if (failure === undefined && (found.chunks !== chunks || found.total !== total))
        throw new Fault(
          'conflict',
          `The import has ${found.chunks} chunks and ${found.total} rows, not ${chunks} and ${total}.`,
        );
      const [record] = await inner.query<ImportRecord>(finish, [
        ...[found.workspace_id, found.id, failure ?? null],
      ]);
      await announceImports(service, inner, [record!], call);
      inner.afterCommit(() => service.jobs.wake());
      return { import: importShape(record!) };
    });
  });

/** An import without rows has nothing to wait for. */
const finish: Statement = {
  name: 'imports.finish',
  text: `
    update contacts.imports i
    set status = case when $3::text is not null then 'failed' when chunks = 0 then 'completed' else 'queued' end,
      reason = $3, ended_at = case when $3 is not null or chunks = 0 then ${endOf('i')} end, next_at = now()
    where workspace_id = $1 and id = $2
    returning ${importColumns('i')}`,
};
