import { uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { Delivery } from '../entities/delivery.entity.js';
import { Replay } from '../entities/replay.entity.js';
import { momentId } from '../queue/moment-id.js';
import type { DispatcherService } from '../service.js';
import { replayShape } from './replay-shape.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';

type CreateReplay = Operations['replays.create'];

/** Counts the deliveries of a replay and starts it, unless it is a dry run. */
export const createReplay = ({
  ids,
  replays,
  subscriptions,
}: DispatcherService): SessionHandler<CreateReplay> =>
  each<CreateReplay>(async ({ input, caller }, session) => {
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
    await session.em.insert(Replay, row);
    session.afterCommit(() => replays.wake());
    return { replay: replayShape(row) };
  });
