import {
  Fault,
  fieldErrors,
  importLimits,
  invalidFields,
  operations,
  type FieldError,
  type Notice,
  type ImportRow,
  type Operations,
  type OutputOf,
  withName,
  withTagChanges,
} from '@roster/contracts';
import { z } from 'zod';
import type { StoredRow } from './import-chunks.js';

const {
  id: _,
  createdAt: __,
  updatedAt: ___,
  version: ____,
  resubscribe: _____,
  ...fields
} = operations['contacts.upsert'].input.shape;
/** What a row may contain: the fields of an upsert, without those that only the service sets. */
const schema = withName(withTagChanges(z.strictObject(fields)));
export type RowContact = z.output<typeof schema> & { resubscribe?: boolean | undefined };

/** The contact of a row, or why the row is refused. What only the service sets is ignored: exported rows contain it. */
export function readRow({ contact }: Extract<ImportRow, { contact: object }>): RowContact | Fault {
  const { id: _, createdAt: __, updatedAt: ___, version: ____, ...given } = contact;
  const { success, data, error } = schema.safeParse(given);
  return success ? data : invalidFields(fieldErrors(error.issues));
}

export type RowError = OutputOf<Operations['imports.list-errors']>['errors'][number];

/** Maximum number of errors of one row that are kept, and of the characters of their texts. */
const errorsOfRowMax = 20;
const charactersMax = 500;

/** The errors of a row that the gateway could not read. */
export const problemOf = (row: Extract<StoredRow, { problem: object }>): RowError[] =>
  errorsOf(row, row.problem.code, [row.problem]);

/** The errors of a row that was refused. */
export function refusalOf(row: StoredRow, { code, message, details }: Fault): RowError[] {
  const { errors = [{ pointer: '', message }] } = details;
  return errorsOf(row, code as RowError['code'], errors);
}

/** What of an imported row was not applied as requested. */
export const noticed = (row: StoredRow, notices: readonly Notice[]): RowError[] =>
  notices.flatMap(({ code, message }) => errorsOf(row, code, [{ pointer: '/status', message }]));

/** The last of those that are kept says that there are others. */
function errorsOf(row: StoredRow, code: RowError['code'], errors: FieldError[]): RowError[] {
  const kept = errors.slice(0, errorsOfRowMax);
  return kept.map(({ pointer, message }, n) => ({
    row: row.row,
    pointer: storable(pointer.slice(0, charactersMax)),
    code,
    message:
      storable(message.slice(0, charactersMax)) +
      (kept.length < errors.length && n === kept.length - 1 ? others : ''),
    text: n === 0 ? textOf(row) : null,
  }));
}

const others = ' (further errors of this row are not listed)';

/** A line of NDJSON that is read is sent without its text: its contact is the same. */
function textOf(row: StoredRow): string | null {
  const text = row.text ?? ('contact' in row ? JSON.stringify(row.contact) : null);
  return text === null || text.length > importLimits.textBytes ? null : storable(text);
}

/** PostgreSQL stores neither U+0000 nor lone surrogates, which names of unknown fields may contain. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{FFFD}');
