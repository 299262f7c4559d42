import {
  fieldErrors,
  invalidFields,
  operations,
  type Fault,
  type ImportRow,
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
