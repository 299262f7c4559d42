import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { Replay } from '../entities/replay.entity.js';
import { replayShape } from './replay-shape.js';

type CancelReplay = Operations['replays.cancel'];

/** Idempotent: a replay that has ended keeps its status. */
export const cancelReplay: SessionHandler<CancelReplay> = each<CancelReplay>(
  async ({ input, caller }, session) => {
    const key = {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('replay', input.replayId),
    };
    // Conditional on the status: a step that completes the replay at the same time keeps its result.
    await session.em.nativeUpdate(Replay, { ...key, status: 'running' }, { status: 'cancelled' });
    const replay = await session.em.findOne(Replay, key);
    if (!replay) throw notFound('replay');
    return { replay: replayShape(replay) };
  },
);
