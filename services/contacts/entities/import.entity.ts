import { defineEntity, p } from '@mikro-orm/core';

/** An import of contacts: its options, its progress and the counts of its outcomes. */
export const Import = defineEntity({
  name: 'Import',
  tableName: 'imports',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    status: p.text(),
    format: p.text(),
    mode: p.text(),
    dryRun: p.boolean(),
    /** Numbers of chunks and rows that were received. */
    chunks: p.integer().defaultRaw('0'),
    total: p.integer().defaultRaw('0'),
    /** Bytes of the chunks that are stored. */
    bytes: p.bigint('number').defaultRaw('0'),
    /** The chunk whose rows are applied next, and the number of its rows that are applied. */
    chunk: p.integer().defaultRaw('0'),
    position: p.integer().defaultRaw('0'),
    created: p.integer().defaultRaw('0'),
    updated: p.integer().defaultRaw('0'),
    skipped: p.integer().defaultRaw('0'),
    failed: p.integer().defaultRaw('0'),
    notices: p.integer().defaultRaw('0'),
    /** Consecutive failures of the next slice that no retry is expected to end. */
    attempts: p.smallint().defaultRaw('0'),
    reason: p.text().nullable(),
    /** When the next slice may be applied. */
    nextAt: p.datetime(6).defaultRaw('now()'),
    /** When the last chunk was received. */
    receivedAt: p.datetime(3).defaultRaw('now()'),
    /** The latest time of what its rows have written. Until 0.4.0: null where 0.2.0 applies them. */
    writtenAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    endedAt: p.datetime(3).nullable(),
    events: p.text().defaultRaw("'each'"),
    /** The delimiter and the columns of a CSV file, as JSON. */
    header: p.text().nullable(),
    fileName: p.text().nullable(),
    resubscribe: p.boolean().defaultRaw('false'),
    /** Of the request that created it, as `traceText` writes it; null if that was not traced. */
    trace: p.text().nullable(),
  },
  indexes: [
    {
      name: 'imports_active',
      properties: ['workspaceId', 'id'],
      where: `status in ('uploading', 'queued', 'running')`,
    },
    {
      name: 'imports_runnable',
      properties: ['workspaceId', 'id'],
      where: `status in ('queued', 'running')`,
    },
    { name: 'imports_stored', properties: ['workspaceId', 'id'], where: 'bytes > 0' },
    { name: 'imports_ended_at', properties: 'endedAt', where: 'ended_at is not null' },
  ],
  checks: [
    {
      name: 'imports_status_check',
      expression: `status in ('uploading', 'queued', 'running', 'completed', 'cancelled', 'failed')`,
    },
  ],
});

/** Rows of an import that are not applied yet, as JSON. */
export const ImportChunk = defineEntity({
  name: 'ImportChunk',
  tableName: 'import_chunks',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    importId: p.uuid().primary(),
    ordinal: p.integer().primary(),
    rows: p.text(),
  },
});

/** Why a row of an import was refused. A row may have several errors. */
export const ImportError = defineEntity({
  name: 'ImportError',
  tableName: 'import_errors',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    importId: p.uuid().primary(),
    row: p.integer().primary(),
    n: p.smallint().primary(),
    pointer: p.text(),
    code: p.text(),
    message: p.text(),
    /** The row as it is in the file, with its first error. */
    text: p.text().nullable(),
  },
});
