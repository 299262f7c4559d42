import { encodeId, type Operations, type OutputOf } from '@roster/contracts';
import type { Replay } from '../entities/replay.entity.js';

type ShownReplay = OutputOf<Operations['replays.get']>['replay'];

/** The fields of a replay that are shown: of its row, or of the input of a dry run, which has no row. */
type ShownFields = Omit<Replay, 'workspaceId' | 'id' | 'reached' | 'nextAt' | 'status'> & {
  id: string | null;
  status: string;
};

/** A replay in the format of the contract. */
export const replayShape = (replay: ShownFields): ShownReplay => ({
  id: replay.id === null ? null : encodeId('replay', replay.id),
  webhookId: encodeId('webhook', replay.webhookId),
  since: replay.since.toISOString(),
  until: replay.until.toISOString(),
  deliveryStatus: (replay.deliveryStatus ?? null) as ShownReplay['deliveryStatus'],
  kinds: replay.kinds ?? null,
  total: replay.total,
  done: replay.done,
  status: replay.status as ShownReplay['status'],
  createdAt: replay.createdAt.toISOString(),
});
