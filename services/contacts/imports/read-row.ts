import {
  Fault,
  fieldErrors,
  invalidFields,
  operations,
  type ImportRow,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { z } from 'zod';

/** What a row may contain: the fields of an upsert, without those that only the service sets. */
const schema = operations['contacts.upsert'].input.omit({ id: true, createdAt: true });
export type RowContact = z.output<typeof schema>;

/** The contact of a row, or why the row is refused. `id` and `createdAt` are ignored: exported rows contain them. */
export function readRow({ contact }: Extract<ImportRow, { contact: object }>): RowContact | Fault {
  const { id: _, createdAt: __, ...fields } = contact;
  const { success, data, error } = schema.safeParse(fields);
  return success ? data : invalidFields(fieldErrors(error.issues));
}

export type RowError = OutputOf<Operations['imports.list-errors']>['errors'][number];

/** Maximum number of errors of one row that are kept, and of the characters of their texts. */
const errorsOfRowMax = 5;
const charactersMax = 500;

/** The errors of a row that the gateway could not read. */
export const problemOf = ({
  row,
  problem: { pointer, code, message },
}: Extract<ImportRow, { problem: object }>): RowError[] => [
  { row, pointer: bounded(pointer), code, message: bounded(message) },
];

/** The errors of a row that was refused. */
export function refusalOf(row: number, { code, message, details }: Fault): RowError[] {
  const { errors = [{ pointer: '', message }] } = details;
  return errors.slice(0, errorsOfRowMax).map((error) => ({
    row,
    pointer: bounded(error.pointer),
    code: code as RowError['code'],
    message: bounded(error.message),
  }));
}

/** PostgreSQL stores neither U+0000 nor lone surrogates, which names of unknown fields may contain. */
const bounded = (text: string): string =>
  text.slice(0, charactersMax).toWellFormed().replaceAll('\0', '\u{FFFD}');
