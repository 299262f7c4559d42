import { encodeId, type Operations, type OutputOf } from '@roster/contracts';

type ShownImport = OutputOf<Operations['imports.get']>['import'];

/** The workspace of an import, and the columns that clients see. */
export interface ImportRecord {
  workspace_id: string;
  id: string;
  status: ShownImport['status'];
  format: ShownImport['format'];
  mode: ShownImport['mode'];
  events: ShownImport['events'];
  dry_run: boolean;
  total: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  notices: number;
  reason: string | null;
  file_name: string | null;
  /** Milliseconds since the epoch. */
  created_ms: number;
  ended_ms: number | null;
}

/** The columns of an `ImportRecord`. */
export const importColumns = (alias: string): string =>
  `${[
    'workspace_id',
    'id',
    'status',
    'format',
    'mode',
    'events',
    'dry_run',
    'total',
    'created',
    'updated',
    'skipped',
    'failed',
    'notices',
    'reason',
    'file_name',
  ]
    .map((name) => `${alias}.${name}`)
    .join(', ')},
   date_part('epoch', ${alias}.created_at) * 1000 as created_ms,
   date_part('epoch', ${alias}.ended_at) * 1000 as ended_ms`;

/**
 * The time of the end of an import. The clocks of its other times are those of processes, and may be ahead. Not `now()`: a
 * transaction may have waited for the last rows.
 */
export const endOf = (alias: string): string =>
  `greatest(clock_timestamp(), ${alias}.created_at, ${alias}.written_at)`;

/** An import in the format of the contract. */
export function importShape(record: ImportRecord): ShownImport {
  const { status, format, mode, events, total, created, updated, skipped, failed, reason } = record;
  return {
    id: encodeId('import', record.id),
    status,
    format,
    mode,
    events,
    dryRun: record.dry_run,
    total,
    done: created + updated + skipped + failed,
    created,
    updated,
    skipped,
    failed,
    notices: record.notices,
    reason,
    fileName: record.file_name,
    createdAt: timeOf(record.created_ms),
    endedAt: record.ended_ms === null ? null : timeOf(record.ended_ms),
  };
}

const timeOf = (ms: number): string => new Date(Math.round(ms)).toISOString();
