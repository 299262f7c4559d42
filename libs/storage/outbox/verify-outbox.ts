import type { Bus, Handler } from '@roster/bus';
import {
  encodeId,
  uuidOf,
  verifiedMax,
  type InputOf,
  type Operations,
  type ServiceName,
} from '@roster/contracts';
import type { Database, Statement } from '../database.js';
import { postgresTable } from './postgres-table.js';
import { outboxStatements } from './statements.js';

export interface VerifiedOutbox {
  database: Database;
  schema: string;
  bus: Pick<Bus, 'stream'>;
}

type Verify = Operations[`${ServiceName}.verify-outbox`];
type Verified = Awaited<ReturnType<typeof verifiedPage>>;

/** Rows of a page: their messages are requested one by one. */
const rowsMax = 500;

/** Answers `roster verify` about the outbox of a service: which rows wait for too long, and which ones the stream lacks. */
export function verifyOutbox<O extends Verify>(verified: VerifiedOutbox): Handler<O> {
  const statements = verification(`${verified.schema}.outbox`);
  const verify: Handler<Verify> = async (calls) => {
    const answers: Verified[] = [];
    for (const { input } of calls) answers.push(await verifiedPage(verified, statements, input));
    return answers;
  };
  return verify;
}

async function verifiedPage(
  { database, schema, bus: { stream } }: VerifiedOutbox,
  { waiting, published }: ReturnType<typeof verification>,
  { olderThanSeconds, since, after, repair }: InputOf<Verify>,
) {
  const unpublished = after ? [] : await database.query<Row>(waiting, [olderThanSeconds]);
  const { sequence, id } = after
    ? { ...after, id: uuidOf('event', after.id) }
    : { sequence: 0, id: lowestId };
  const rows = await database.query<Row>(published, [sequence, id, since, rowsMax]);
  // Read after the rows: the stream held each of them when it was marked.
  const { created, first, last } = await stream.bounds();
  const isAbsent = async (row: Row): Promise<boolean> => {
    const at = Number(row.sequence);
    if (at > last) return true;
    if (at < first) return false;
    const message = await stream.at(at, created);
    if (message?.id === encodeId('event', row.id)) return false;
    // It may have been removed for its age meanwhile.
    return message !== undefined || at >= (await stream.bounds()).first;
  };
  const verdicts = await Promise.all(rows.map(isAbsent));
  const absent = rows.filter((_, index) => verdicts[index]);
  if (repair && absent.length > 0) {
    const table = postgresTable(database, outboxStatements(schema));
    const marks = absent.map((row) => ({ ...row, sequence: Number(row.sequence) }));
    await table.unmark(marks, (await table.checkpoint()).epoch);
  }
  const end = rows.at(-1);
  return {
    unpublished: { count: Number(unpublished[0]?.count ?? 0), rows: unpublished.map(shown) },
    compared: rows.length,
    absent: {
      count: absent.length,
      rows: absent
        .slice(0, verifiedMax)
        .map((row) => ({ ...shown(row), sequence: Number(row.sequence) })),
    },
    repaired: repair ? absent.length : 0,
    next:
      end && rows.length === rowsMax
        ? { sequence: Number(end.sequence), id: encodeId('event', end.id) }
        : null,
  };
}

const lowestId = '00000000-0000-0000-0000-000000000000';

/** The driver returns a bigint as text. */
interface Row {
  workspaceId: string;
  id: string;
  kind: string;
  createdMs: number;
  sequence: string;
  count: string;
}

const shown = ({ workspaceId, id, kind, createdMs }: Row) => ({
  eventId: encodeId('event', id),
  workspaceId: encodeId('workspace', workspaceId),
  kind,
  createdAt: new Date(createdMs).toISOString(),
});

const columns = `workspace_id as "workspaceId", id, kind, (extract(epoch from created_at) * 1000)::float8 as "createdMs"`;

/** Of all workspaces: the outbox and the stream are those of the installation. */
const verification = (table: string): Record<'waiting' | 'published', Statement> => ({
  waiting: {
    name: 'outbox.waiting',
    text: `
      select ${columns}, count(*) over () as count from ${table}
      where stream_seq is null and created_at < now() - $1 * interval '1 second'
      order by created_at limit ${verifiedMax}`,
  },
  published: {
    name: 'outbox.published',
    text: `
      select ${columns}, stream_seq as sequence from ${table}
      where stream_seq >= $1 and (stream_seq > $1 or id > $2) and created_at >= $3
      order by stream_seq, id limit $4`,
  },
});
