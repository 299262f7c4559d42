import type { Operations, OutputOf } from '@roster/contracts';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { RequestOperations } from '../../request/request-operations.js';
import { DateTime } from '../../scalars.js';
import { Node } from '../node/node.js';

export type ImportShape = OutputOf<Operations['imports.get']>['import'];

/** Status names in GraphQL and in the contracts. */
const ImportStatus = {
  UPLOADING: 'uploading',
  QUEUED: 'queued',
  RUNNING: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  FAILED: 'failed',
} as const satisfies Record<Uppercase<ImportShape['status']>, ImportShape['status']>;
registerEnumType(ImportStatus, { name: 'ImportStatus', description: 'Status of an import.' });

const ImportFormat = {
  CSV: 'csv',
  NDJSON: 'ndjson',
} as const satisfies Record<Uppercase<ImportShape['format']>, ImportShape['format']>;
registerEnumType(ImportFormat, {
  name: 'ImportFormat',
  description: 'Format of an imported file.',
});

const ImportMode = {
  UPSERT: 'upsert',
  SKIP: 'skip',
} as const satisfies Record<Uppercase<ImportShape['mode']>, ImportShape['mode']>;
registerEnumType(ImportMode, {
  name: 'ImportMode',
  description: 'Whether an import updates existing contacts or leaves them unchanged.',
});

const ImportEvents = {
  EACH: 'each',
  SUMMARY: 'summary',
} as const satisfies Record<Uppercase<ImportShape['events']>, ImportShape['events']>;
registerEnumType(ImportEvents, {
  name: 'ImportEvents',
  description: 'Whether an import causes an event for each contact, or only one for its end.',
});

@ObjectType({ implements: Node, description: 'An import of contacts from a file.' })
export class Import extends Node implements ImportShape {
  @Field(() => ImportStatus)
  status!: ImportShape['status'];

  @Field(() => ImportFormat)
  format!: ImportShape['format'];

  @Field(() => ImportMode)
  mode!: ImportShape['mode'];

  @Field(() => ImportEvents)
  events!: ImportShape['events'];

  @Field(() => Boolean, { description: 'Whether rows are only checked.' })
  dryRun!: boolean;

  @Field(() => Int, { description: 'Number of rows received.' })
  total!: number;

  @Field(() => Int, { description: 'Number of rows handled.' })
  done!: number;

  @Field(() => Int, { description: 'Number of contacts created.' })
  created!: number;

  @Field(() => Int, { description: 'Number of existing contacts updated.' })
  updated!: number;

  @Field(() => Int, {
    description: 'Number of existing contacts left unchanged by the mode `SKIP`.',
  })
  skipped!: number;

  @Field(() => Int, { description: 'Number of rows that were refused.' })
  failed!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Why an import with the status `FAILED` failed. Otherwise null.',
  })
  reason!: string | null;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'Null until the import has ended.' })
  endedAt!: string | null;
}

export async function findImport(
  operations: RequestOperations,
  id: string,
): Promise<ImportShape | null> {
  return (await operations.find('imports.get', { importId: id }))?.import ?? null;
}
