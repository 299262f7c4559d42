import type { ImportRow, Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { applySlice } from '../../imports/apply-slice.js';
import { importWriters } from '../../imports/import-writers.js';
import { readRow, type RowError } from '../../imports/read-row.js';
import { rolledBack } from '../../jobs/rolled-back.js';
import type { ContactsService } from '../../service.js';
import { createWatermark } from '../../writing/watermark.js';

type PreviewImport = Operations['imports.preview'];

/** Tries rows as a dry run does, in a transaction that is rolled back. */
export function previewImport(service: ContactsService): SessionHandler<PreviewImport> {
  const writers = importWriters(service);
  return each<PreviewImport>(async (call, session) => {
    const { format, mode, resubscribe = false, rows = [] } = call.input;
    await createWatermark(service, call);
    const { errors } = await rolledBack(session, (inner) =>
      applySlice(service, writers[format].quiet, call, { mode, resubscribe, rows }, inner),
    );
    const ofRow = Map.groupBy(errors, ({ row }) => row);
    const tried = rows.map((row) => ({
      row: row.row,
      contact: contactOf(row),
      errors: (ofRow.get(row.row) ?? []).map(shown),
    }));
    return { preview: { format, errors: [], rows: tried } };
  });
}

const shown = ({ pointer, code, message }: RowError) => ({ pointer, code, message });

/** The contact as it is read. One that is refused is as it is in the file. */
function contactOf(row: ImportRow): Record<string, unknown> | null {
  if ('problem' in row) return null;
  const contact = readRow(row);
  return contact instanceof Error ? row.contact : contact;
}
