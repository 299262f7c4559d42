import {
  encodeId,
  notFound,
  replayCursor,
  uuidOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { Delivery } from '../entities/delivery.entity.js';
import { Replay } from '../entities/replay.entity.js';
import { momentId } from '../delivery/delivery.js';
import { auditLog, type DispatcherService } from '../service.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';

/** Counts the deliveries of a replay and starts it, unless it is a dry run. */
export const createReplay = ({ ids, replays, activity, subscriptions }: DispatcherService) =>
  each<Operations['replays.create']>(async (call, session) => {
    const { input, caller } = call;
    const { status = null, kinds = null, dryRun } = input;
    const webhook = await requireWebhook(subscriptions, caller, input.webhookId);
    if (!dryRun) refuseDisabled(webhook);
    const now = new Date();
    const since = new Date(input.since);
    // Later deliveries are not part of it: otherwise a replay could repeat deliveries without end.
    const until = new Date(
      Math.min(now.getTime(), input.until === undefined ? Infinity : Date.parse(input.until)),
    );
    const of = {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      webhookId: uuidOf('webhook', input.webhookId),
    };
    const total = await session.em.count(Delivery, {
      ...of,
      id: { $gte: momentId(since.getTime()), $lt: momentId(until.getTime()) },
      ...(status === null ? {} : { status }),
      ...(kinds === null ? {} : { kind: { $in: kinds } }),
    });
    const replay = {
      ...{ ...of, since, until, deliveryStatus: status, kinds },
      ...{ total, done: 0, createdAt: now },
    };
    if (dryRun) return { replay: replayShape({ ...replay, id: null, status: 'dry_run' }) };
    const row = { ...replay, id: ids.next(), status: total === 0 ? 'completed' : 'running' };
    const shown = replayShape(row);
    await session.transaction(async (inner) => {
      await inner.em.insert(Replay, row);
      const { webhookId, deliveryStatus, total: deliveries } = shown;
      await auditLog.record(inner, call, {
        action: 'replay.created',
        resourceId: shown.id!,
        after: {
          webhookId,
          since: shown.since,
          until: shown.until,
          deliveryStatus,
          kinds,
          deliveries,
        },
      });
      inner.afterCommit(() => {
        replays.wake();
        activity.replayChanged(row.workspaceId, row);
      });
    });
    return { replay: shown };
  });

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

/** Runs one query per batch. */
export const getReplay =
  ({ database }: DispatcherService): SessionHandler<Operations['replays.get']> =>
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

/** Replays that are read for one page: no index contains their webhooks. */
export const replaysReadMax = 1000;

/** Those of deleted webhooks too: no webhook is looked up. */
export const listReplays = each<Operations['replays.list']>(async ({ caller, input }, session) => {
  const { limit, after, webhookId } = input;
  const found = await session.em.find(
    Replay,
    {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      ...(after !== undefined && { id: { $lt: replayCursor.uuidOfAfter(after) } }),
    },
    {
      orderBy: { id: 'desc' },
      // One more than a page: whether there are further ones.
      limit: (webhookId === undefined ? limit : replaysReadMax) + 1,
    },
  );
  const wanted = webhookId === undefined ? undefined : uuidOf('webhook', webhookId);
  const read = wanted === undefined ? limit : replaysReadMax;
  const matching = found
    .slice(0, read)
    .filter((one) => wanted === undefined || one.webhookId === wanted);
  const shown = matching.slice(0, limit);
  const isLast = matching.length <= limit && found.length <= read;
  const end = matching.length > limit ? shown.at(-1) : found.at(read - 1);
  return {
    replays: shown.map(replayShape),
    pagination: { limit, next: isLast || !end ? null : replayCursor.ofUuid(end.id) },
  };
});

const keyOf = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}`;

/** Idempotent: a replay that has ended keeps its status. */
export const cancelReplay = ({ activity }: DispatcherService) =>
  each<Operations['replays.cancel']>((call, session) =>
    session.transaction(async (inner) => {
      const { replayId } = call.input;
      const key = {
        workspaceId: uuidOf('workspace', call.caller.workspaceId),
        id: uuidOf('replay', replayId),
      };
      // Conditional on the status: a step that completes the replay at the same time keeps its result.
      const running = { ...key, status: 'running' };
      if ((await inner.em.nativeUpdate(Replay, running, { status: 'cancelled' })) > 0)
        await auditLog.record(inner, call, { action: 'replay.cancelled', resourceId: replayId });
      const replay = await inner.em.findOne(Replay, key);
      if (!replay) throw notFound('replay');
      inner.afterCommit(() => activity.replayChanged(key.workspaceId, replay));
      return { replay: replayShape(replay) };
    }),
  );
