import { parseTraces } from '@roster/bus';
import type { Database } from '../database.js';
import { countOf, type OutboxRow } from './event.js';
import type { Position } from './positions.js';
import { markValues, unmarkValues, type OutboxStatements } from './statements.js';
import type { Checkpoint, MarkedRow, OutboxTable } from './table.js';

interface CheckpointRow {
  epoch: string;
  finished: boolean;
  silent: boolean;
  incarnation: string | null;
  positions: Position[];
  batching: boolean;
}

/** A workspace without rows to claim has one without ID. */
type ClaimedRow = StoredRow | { workspaceId: string; id: null };

type StoredRow = OutboxRow & { trace: string | null };

/** The driver returns a bigint as text. */
type StoredMark = Omit<MarkedRow, 'sequence'> & { sequence: string };

/** The outbox table of a service in PostgreSQL. */
export const postgresTable = (
  database: Pick<Database, 'query' | 'transaction'>,
  sql: OutboxStatements,
): OutboxTable => ({
  async mark(acknowledged, epoch) {
    const present = await database.query(sql.mark, [...markValues(acknowledged), epoch]);
    return present.length > 0;
  },

  sweep: ({ olderThanMs, rowsMax, bytesMax, workspacesMax, after, epoch }, publish) =>
    database.transaction(async (session) => {
      const values = [olderThanMs, rowsMax, after, workspacesMax, bytesMax];
      const rows = await session.query<ClaimedRow>(sql.claim, values);
      const claimed = rows.filter(isClaimed).map(traced);
      const reached = reachedBy(rows, workspacesMax);
      if (claimed.length === 0) return { claimed: 0, marked: 0, events: 0, reached };
      const acknowledged = await publish(claimed);
      const present = await session.query(sql.mark, [...markValues(acknowledged), epoch]);
      const marked = present.length > 0 ? acknowledged : [];
      const events = marked.reduce((sum, { row }) => sum + countOf(row), 0);
      return { claimed: claimed.length, marked: marked.length, events, reached };
    }),

  async checkpoint() {
    const [row] = await database.query<CheckpointRow>(sql.checkpoint, []);
    return checkpointOf(row!);
  },

  async raise(epoch) {
    return (await database.query(sql.raise, [epoch])).length > 0;
  },

  async advance(epoch, positions) {
    await database.query(sql.advance, [epoch, JSON.stringify(positions)]);
  },

  async newest() {
    const [row] = await database.query<{ newest: string }>(sql.newest, []);
    return Number(row?.newest ?? 0);
  },

  async marked({ sequence, id }, until, rowsMax) {
    const values = [sequence, id, until, rowsMax];
    const rows = await database.query<StoredMark>(sql.marked, values);
    return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
  },

  async unmark(rows, epoch) {
    return (await database.query(sql.unmark, [...unmarkValues(rows), epoch])).length > 0;
  },

  async finish(epoch, { incarnation, positions }) {
    const values = [epoch, incarnation ?? null, JSON.stringify(positions)];
    await database.query(sql.finish, values);
  },

  async abandon(epoch) {
    await database.query(sql.abandon, [epoch]);
  },
});

const isClaimed = (row: ClaimedRow): row is StoredRow => row.id !== null;

const traced = ({ trace, ...row }: StoredRow): OutboxRow =>
  trace === null ? row : { ...row, traces: parseTraces(trace, countOf(row)) };

/** The last of the workspaces, if there are as many as the claim may visit. */
function reachedBy(rows: readonly ClaimedRow[], workspacesMax: number): string | undefined {
  const visited = [...new Set(rows.map(({ workspaceId }) => workspaceId))];
  return visited.length < workspacesMax ? undefined : visited.toSorted().at(-1);
}

const checkpointOf = ({
  epoch,
  finished,
  silent,
  incarnation,
  positions,
  batching: isBatching,
}: CheckpointRow): Checkpoint => ({
  epoch: Number(epoch),
  comparison: finished ? 'finished' : silent ? 'abandoned' : 'running',
  incarnation: incarnation ?? undefined,
  positions,
  isBatching,
});
