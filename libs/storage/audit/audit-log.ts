import type { Call } from '@roster/bus';
import {
  auditCursor,
  auditEntriesMax,
  auditKeyEntriesMax,
  encodeId,
  Fault,
  uuidOf,
  type AuditAction,
  type Caller,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Session } from '../database.js';
import { deleteInPortions } from '../retention.js';
import { auditStatements } from './statements.js';

const keepDays = 400;
/** Stored instead of the ID of a user. */
const systemActor = 'system';
/** Within this time, repeated reads of the same secret are recorded once. */
const repeatSeconds = 60;

type Page = OutputOf<Operations['webhooks.audit-entries']>;
type State = Record<string, unknown> | null;

/** Something to record. States never contain secrets. */
export interface AuditedChange {
  action: AuditAction;
  /** External ID. */
  resourceId: string;
  /** Null if the resource did not exist, or has no state that can be shown. */
  before?: State;
  after?: State;
  /** External ID. Defaults to that of the caller; operators have none. */
  workspaceId?: string;
  /** Whether the system made the change without a request. */
  isAutomatic?: boolean;
}

/** The call that an entry is recorded for. */
export type AuditedCall = Pick<Call, 'caller' | 'requestId' | 'address'>;

type Recorded = readonly [AuditedCall, AuditedChange];

const isPresent = (change: Recorded | undefined): change is Recorded => change !== undefined;

/** Undefined for a call whose change was recorded. Empty if there was none to record. */
type Refusals = (Fault | undefined)[];

/** The part of the audit log that a service writes: see README.md. */
export class AuditLog {
  readonly #sql: ReturnType<typeof auditStatements>;
  readonly #ids = new IdClock();

  constructor(schema: string) {
    this.#sql = auditStatements(schema);
  }

  /**
   * @param session the transaction of the changes
   *
   * @throws Fault `rate_limited` if the workspace has no entries left today. The changes must be rolled back then
   */
  async record(session: Session, call: AuditedCall, ...changes: AuditedChange[]): Promise<void> {
    const recorded = changes.map((change) => [call, change] as const);
    const [refusal] = await this.recordAll(session, recorded);
    if (refusal) throw refusal;
  }

  /**
   * Records changes of several calls with one statement. Returns, in their order, the refusals of those that are not recorded because
   * their workspace has no entries left today.
   *
   * @param changes undefined for a call that has none
   */
  async recordAll(session: Session, changes: readonly (Recorded | undefined)[]): Promise<Refusals> {
    const due = changes.filter(isPresent);
    if (due.length === 0) return [];
    const columns = this.#columnsOf(due);
    const limit = limitOf(due);
    if (limit === null) {
      await session.query(this.#sql.recordUncounted, columns);
      return [];
    }
    const full = await session.query<FullDay>(this.#sql.record, [...columns, limit]);
    const refused = refusalsOf(due, full);
    return changes.map((change) => change && refused.get(change));
  }

  /** As `recordAll`, for reads, except those that the same key repeats from the same address within a minute. */
  async recordReads(session: Session, reads: readonly (Recorded | undefined)[]): Promise<Refusals> {
    const firsts = new Map<string, Recorded>();
    for (const read of reads)
      if (read && !firsts.has(readingOf(read))) firsts.set(readingOf(read), read);
    const due = [...firsts.values()];
    if (due.length === 0) return [];
    const since = lowestIdAt(Date.now() - repeatSeconds * 1000);
    const values = [...this.#columnsOf(due), auditEntriesMax, since, repeatSeconds];
    const refused = refusalsOf(due, await session.query<FullDay>(this.#sql.recordOnce, values));
    return reads.map((read) => read && refused.get(firsts.get(readingOf(read))!));
  }

  /** The entries of a workspace, newest first. @throws Fault `invalid` if `after` is not a cursor */
  async page(
    session: Session,
    workspaceId: string,
    { limit, after, action, actor, since }: PageRequest,
  ): Promise<Page> {
    const rows = await session.query<EntryRow>(this.#sql.page, [
      uuidOf('workspace', workspaceId),
      after === undefined ? highestId : auditCursor.uuidOfAfter(after),
      action ?? null,
      actor ?? null,
      lowestIdAt(since === undefined ? 0 : Date.parse(since)),
      limit + 1,
    ]);
    return cut(rows.map(entryShape), limit, false);
  }

  /** Deletes entries older than 400 days, and the numbers of entries of past days. */
  async purge(session: Session): Promise<void> {
    await deleteInPortions(session, this.#sql.purge, [keepDays]);
    await session.query(this.#sql.purgeDays, []);
  }

  #columnsOf(recorded: readonly Recorded[]): unknown[] {
    const rows = recorded.map(([{ caller, requestId, address }, change]) => [
      uuidOf('workspace', change.workspaceId ?? caller.workspaceId),
      this.#ids.next(),
      change.action,
      change.isAutomatic ? systemActor : caller.userId || null,
      keyOf(caller),
      address ?? null,
      requestId,
      change.resourceId,
      change.before ? JSON.stringify(change.before) : null,
      change.after ? JSON.stringify(change.after) : null,
    ]);
    return Array.from({ length: 10 }, (_, column) => rows.map((row) => row[column]));
  }
}

/**
 * What takes access away or stops work is recorded beyond the limit of a day, so that a leaked key can be deleted after it was used to
 * reach it. Each of these entries is preceded by one that counts: the resource was created or enabled. Operators are trusted. The
 * contacts service limits its deletions and batches itself.
 */
const isAlwaysRecorded = ([{ caller }, { action }]: Recorded): boolean =>
  caller.userId === '' || action.endsWith('.deleted') || stops.has(action);

const stops: ReadonlySet<AuditAction> = new Set([
  'webhook.disabled',
  'import.cancelled',
  'replay.cancelled',
  'contacts.batch_applied',
]);

/** What replaces a key. */
const keyActions: ReadonlySet<AuditAction> = new Set(['api_key.created', 'api_key.rotated']);

/** The number of entries of a day from which on these are not recorded; null without a limit. */
function limitOf(due: readonly Recorded[]): number | null {
  const limited = due.filter((change) => !isAlwaysRecorded(change));
  if (limited.length === 0) return null;
  const areKeys = limited.every(([, { action }]) => keyActions.has(action));
  return areKeys ? auditEntriesMax + auditKeyEntriesMax : auditEntriesMax;
}

/** A change that was not recorded. */
interface FullDay {
  /** Its position among those to record, from 1. */
  n: number;
  /** Until the next day begins. */
  seconds_left: number;
}

const refusalsOf = (due: readonly Recorded[], full: readonly FullDay[]): Map<Recorded, Fault> =>
  new Map(
    full.map(({ n, seconds_left: retryAfterSeconds }) => [
      due[n - 1]!,
      new Fault('rate_limited', fullDay, { retryAfterSeconds }),
    ]),
  );

/** What reads that are recorded once have in common. */
const readingOf = ([{ caller, address }, { action, resourceId }]: Recorded): string =>
  [caller.workspaceId, caller.keyId, address, action, resourceId].join(' ');

const fullDay = `The workspace has reached its limit of ${auditEntriesMax.toLocaleString('en')} entries of the audit log per day (UTC). Nothing was changed. Resources can still be deleted.`;

export type PageRequest = {
  [Name in 'after' | 'action' | 'actor' | 'since']?: string | undefined;
} & { limit: number };

/** The newest entries of several pages, which were read with the same request. */
export const mergePages = (pages: readonly Page[], limit: number): Page =>
  cut(
    pages.flatMap(({ entries }) => entries).toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    limit,
    pages.some(({ pagination }) => pagination.next !== null),
  );

function cut(all: Page['entries'], limit: number, isMore: boolean): Page {
  const entries = all.slice(0, limit);
  const last = entries.at(-1);
  const next = last && (isMore || all.length > limit) ? auditCursor.of(last.id) : null;
  return { entries, pagination: { limit, next } };
}

interface EntryRow {
  id: string;
  action: string;
  actor_id: string | null;
  key_id: string | null;
  address: string | null;
  request_id: string;
  resource_id: string;
  before: State;
  after: State;
  /** Milliseconds since the epoch. */
  created_ms: number;
}

const entryShape = (row: EntryRow): Page['entries'][number] => ({
  id: encodeId('auditEntry', row.id),
  action: row.action,
  ...actorOf(row.actor_id),
  keyId: row.key_id,
  address: row.address,
  requestId: row.request_id,
  resourceId: row.resource_id,
  before: row.before,
  after: row.after,
  createdAt: new Date(Math.round(row.created_ms)).toISOString(),
});

const actorOf = (id: string | null): Pick<Page['entries'][number], 'actor' | 'actorType'> =>
  id === systemActor
    ? { actor: null, actorType: 'system' }
    : { actor: id, actorType: id === null ? 'operator' : 'user' };

/** Operators have no key. */
const keyOf = ({ userId, keyId }: Caller): string | null => (userId === '' ? null : keyId || null);

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** IDs contain their time. */
function lowestIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
