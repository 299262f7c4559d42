import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import { replayColumns, replayShape, type ReplayRow } from './replay-row.js';

type CancelReplay = Operations['replays.cancel'];

/** Idempotent: a replay that has ended keeps its status. */
export const cancelReplay: SessionHandler<CancelReplay> = each<CancelReplay>(
  async ({ input, caller }, session) => {
    const key = [uuidOf('workspace', caller.workspaceId), uuidOf('replay', input.replayId)];
    const [row] = await session.query<ReplayRow>(cancel, key);
    if (!row) throw notFound('replay');
    return { replay: replayShape(row) };
  },
);

const cancel: Statement = {
  name: 'dispatcher.cancel-replay',
  text: `
    update dispatcher.replays
    set status = case when status = 'running' then 'cancelled' else status end
    where workspace_id = $1 and id = $2
    returning ${replayColumns}`,
};
