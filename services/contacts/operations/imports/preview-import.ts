import {
  readAsType,
  uuidOf,
  type ImportRow,
  type Operations,
  type PropertyValue,
} from '@roster/contracts';
import { each, type Session, type SessionHandler } from '@roster/storage';
import { applySlice } from '../../imports/apply-slice.js';
import { importWriters } from '../../imports/import-writers.js';
import { readRow, type RowError } from '../../imports/read-row.js';
import { rolledBack } from '../../jobs/rolled-back.js';
import { noTypes, type PropertyTypes } from '../../reading/value-filter.js';
import type { ContactsService } from '../../service.js';
import { findDefined } from '../../writing/definitions/definition-rows.js';
import { createWatermark } from '../../writing/watermark.js';

type PreviewImport = Operations['imports.preview'];

/** Tries rows as a dry run does, in a transaction that is rolled back. */
export function previewImport(service: ContactsService): SessionHandler<PreviewImport> {
  const writers = importWriters(service);
  return each<PreviewImport>(async (call, session) => {
    const { format, mode, resubscribe = false, rows = [] } = call.input;
    await createWatermark(service, call);
    const contacts = rows.map(contactOf);
    const { errors, types } = await rolledBack(session, async (inner) => {
      const slice = { mode, resubscribe, rows };
      const outcome = await applySlice(service, writers[format].quiet, call, slice, inner);
      const isText = format === 'csv';
      return { ...outcome, types: isText ? await typesOf(call.caller, contacts, inner) : noTypes };
    });
    const ofRow = Map.groupBy(errors, ({ row }) => row);
    const tried = rows.map((row, at) => ({
      row: row.row,
      contact: typed(contacts[at]!, types),
      errors: (ofRow.get(row.row) ?? []).map(shown),
    }));
    return { preview: { format, errors: [], rows: tried } };
  });
}

const shown = ({ pointer, code, message }: RowError) => ({ pointer, code, message });

/** The contact as it is read. One that is refused is as it is in the file. */
function contactOf(row: ImportRow): Previewed {
  if ('problem' in row) return null;
  const contact = readRow(row);
  return contact instanceof Error ? row.contact : contact;
}

type Previewed = Record<string, unknown> | null;
type Values = Record<string, PropertyValue | null>;

const valuesOf = (contact: Previewed): Values => (contact?.['properties'] ?? {}) as Values;

/** The types of the properties of these contacts, among them those that they define. */
async function typesOf(
  { workspaceId }: { workspaceId: string },
  contacts: readonly Previewed[],
  inner: Session,
): Promise<PropertyTypes> {
  const names = [...new Set(contacts.flatMap((contact) => Object.keys(valuesOf(contact))))];
  if (names.length === 0) return noTypes;
  const id = uuidOf('workspace', workspaceId);
  const found = await findDefined(
    inner,
    names.map((name) => ({ workspaceId: id, name })),
  );
  return found.get(id)!.types;
}

/** The contact with what its texts mean. One that means no value of its type, which refuses the row, is as it is in the file. */
function typed(contact: Previewed, types: PropertyTypes): Previewed {
  const read = Object.entries(valuesOf(contact)).map(([name, value]) => {
    const type = types.get(name);
    const meant = type && typeof value === 'string' ? readAsType(type, value) : undefined;
    return [name, meant ?? value] as const;
  });
  return read.length > 0 ? { ...contact, properties: Object.fromEntries(read) } : contact;
}
