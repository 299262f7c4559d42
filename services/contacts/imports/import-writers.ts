import type { InputOf, Operations } from '@roster/contracts';
import { batchWriters, type BatchWriters } from '../writing/batch-writers.js';
import type { ContactsService } from '../service.js';

type Format = InputOf<Operations['imports.create']>['format'];

/** By the format, and by whether changes are announced one by one. */
export type ImportWriters = Record<Format, Record<'announcing' | 'quiet', BatchWriters>>;

/** A file of CSV has texts, of which the values of typed properties are read. */
export function importWriters(service: ContactsService): ImportWriters {
  const writersOf = (isText: boolean) => ({
    announcing: batchWriters(service, { isImport: true, isText }),
    quiet: batchWriters(service, { isQuiet: true, isImport: true, isText }),
  });
  return { csv: writersOf(true), ndjson: writersOf(false) };
}
