import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import { replayColumns, replayShape, type ReplayRow } from './replay-row.js';
import type { DispatcherService } from './service.js';

type GetReplay = Operations['replays.get'];

export const getReplay = ({ database }: DispatcherService): SessionHandler<GetReplay> =>
  each<GetReplay>(async ({ input, caller }) => {
    const key = [uuidOf('workspace', caller.workspaceId), uuidOf('replay', input.replayId)];
    const [row] = await database.query<ReplayRow>(select, key);
    if (!row) throw notFound('replay');
    return { replay: replayShape(row) };
  });

const select: Statement = {
  name: 'dispatcher.get-replay',
  text: `select ${replayColumns} from dispatcher.replays where workspace_id = $1 and id = $2`,
};
