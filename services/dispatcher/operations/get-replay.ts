import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { SessionHandler, Statement } from '@roster/service/storage';
import { replayColumns, replayShape, type ReplayRow } from './replay-row.js';
import type { DispatcherService } from '../service.js';

type GetReplay = Operations['replays.get'];

/** One statement for the batch. */
export const getReplay =
  ({ database }: DispatcherService): SessionHandler<GetReplay> =>
  async (calls) => {
    const rows = await database.query<ReplayRow & { n: number }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('replay', input.replayId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const row = found.get(index + 1);
      return row ? { replay: replayShape(row) } : notFound('replay');
    });
  };

const select: Statement = {
  name: 'dispatcher.get-replay',
  text: `
    select asked.n::int, found.*
    from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (workspace_id, id, n),
      lateral (
        select ${replayColumns} from dispatcher.replays r
        where r.workspace_id = asked.workspace_id and r.id = asked.id
        offset 0
      ) found`,
};
