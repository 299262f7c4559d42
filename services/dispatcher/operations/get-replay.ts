import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { SessionHandler } from '@roster/storage';
import { Replay } from '../entities/replay.entity.js';
import type { DispatcherService } from '../service.js';
import { replayShape } from './replay-shape.js';

type GetReplay = Operations['replays.get'];

/** Runs one query per batch. */
export const getReplay =
  ({ database }: DispatcherService): SessionHandler<GetReplay> =>
  async (calls) => {
    const requested = calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('replay', input.replayId),
    }));
    const found = await database.em.find(Replay, { $or: requested });
    const byKey = new Map(found.map((replay) => [keyOf(replay), replay]));
    return requested.map((key) => {
      const replay = byKey.get(keyOf(key));
      return replay ? { replay: replayShape(replay) } : notFound('replay');
    });
  };

const keyOf = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}`;
