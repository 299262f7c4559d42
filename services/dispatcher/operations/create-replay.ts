import { uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import { momentId } from '../queue/moment-id.js';
import { replayColumns, replayShape, type ReplayRow } from './replay-row.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';
import type { DispatcherService } from '../service.js';

type CreateReplay = Operations['replays.create'];

/** Counts the deliveries that a replay covers and, unless it is a dry run, starts it. The range is fixed here. */
export const createReplay = ({
  ids,
  replays,
  subscriptions,
}: DispatcherService): SessionHandler<CreateReplay> =>
  each<CreateReplay>(async ({ input, caller }, session) => {
    const { webhookId, since, status = null, kinds = null, dryRun } = input;
    const webhook = await requireWebhook(subscriptions, caller, webhookId);
    if (!dryRun) refuseDisabled(webhook);
    const now = new Date();
    // Later deliveries are not part of it: a replay must not follow what it causes.
    const until = new Date(
      Math.min(now.getTime(), input.until === undefined ? Infinity : Date.parse(input.until)),
    );
    const key = [uuidOf('workspace', caller.workspaceId), uuidOf('webhook', webhookId)];
    const range = [momentId(since), momentId(until.getTime())];
    const [counted] = await session.query<{ total: number }>(count, [
      ...key,
      ...range,
      status,
      kinds,
    ]);
    const total = counted!.total;
    if (dryRun) {
      const row: ReplayRow = {
        id: null,
        webhook_id: key[1]!,
        since_ms: Date.parse(since),
        until_ms: until.getTime(),
        delivery_status: status,
        kinds,
        total,
        done: 0,
        status: 'dry_run',
        created_ms: now.getTime(),
      };
      return { replay: replayShape(row) };
    }
    const values = [...key, ids.next(), since, until.toISOString(), status, kinds, total];
    const [row] = await session.query<ReplayRow>(insert, values);
    session.afterCommit(() => replays.wake());
    return { replay: replayShape(row!) };
  });

const count: Statement = {
  name: 'dispatcher.count-replay',
  text: `
    select count(*)::float8 as total from dispatcher.deliveries
    where workspace_id = $1 and webhook_id = $2 and id >= $3 and id < $4
      and ($5::text is null or status = $5) and ($6::text[] is null or kind = any ($6))`,
};

const insert: Statement = {
  name: 'dispatcher.create-replay',
  text: `
    insert into dispatcher.replays
      (workspace_id, webhook_id, id, since, until, delivery_status, kinds, total, status)
    values ($1, $2, $3, $4, $5, $6, $7, $8, case when $8::bigint = 0 then 'completed' else 'running' end)
    returning ${replayColumns}`,
};
