import { encodeId, type Operations, type OutputOf } from '@roster/contracts';

type ShownAction = OutputOf<Operations['contact-actions.get']>['action'];
export type ActionFailure = ShownAction['failures'][number];

/** The workspace of an action, and the columns that clients see. */
export interface ActionRecord {
  workspace_id: string;
  id: string;
  status: ShownAction['status'];
  /** JSON. */
  filter: string;
  change: string;
  dry_run: boolean;
  total: number;
  examined: number;
  matched: number;
  changed: number;
  unchanged: number;
  failed: number;
  /** JSON. */
  failures: string;
  reason: string | null;
  /** Milliseconds since the epoch. */
  created_ms: number;
  ended_ms: number | null;
}

const shown = [
  ...['workspace_id', 'id', 'status', 'filter', 'change', 'dry_run', 'total', 'examined'],
  ...['matched', 'changed', 'unchanged', 'failed', 'failures', 'reason'],
];

/** The columns of an `ActionRecord`. */
export const actionColumns = (alias: string): string =>
  `${shown.map((name) => `${alias}.${name}`).join(', ')},
   date_part('epoch', ${alias}.created_at) * 1000 as created_ms,
   date_part('epoch', ${alias}.ended_at) * 1000 as ended_ms`;

/** The time of the end of an action. That of its creation is of the same clock, which may be set back. */
export const endOf = (alias: string): string => `greatest(clock_timestamp(), ${alias}.created_at)`;

/** An action in the format of the contract. */
export function actionShape(record: ActionRecord): ShownAction {
  const { status, total, examined, matched, changed, unchanged, failed, reason } = record;
  return {
    id: encodeId('contactAction', record.id),
    status,
    filter: JSON.parse(record.filter) as ShownAction['filter'],
    change: JSON.parse(record.change) as ShownAction['change'],
    dryRun: record.dry_run,
    total,
    examined,
    matched,
    changed,
    unchanged,
    failed,
    failures: JSON.parse(record.failures) as ActionFailure[],
    reason,
    createdAt: timeOf(record.created_ms),
    endedAt: record.ended_ms === null ? null : timeOf(record.ended_ms),
  };
}

const timeOf = (ms: number): string => new Date(Math.round(ms)).toISOString();
