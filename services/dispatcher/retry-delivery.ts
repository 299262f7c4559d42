import { encodeId, Fault, notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import { deliveryColumns, joinQueue, listedDelivery, type DeliveryRow } from './delivery-row.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';
import type { DispatcherService } from './service.js';

type RetryDelivery = Operations['deliveries.retry'];

/** Puts a delivery into the queue, due now, whatever became of it. One that is being tried at this moment stays as it is. */
export const retryDelivery = ({
  queue,
  subscriptions,
}: DispatcherService): SessionHandler<RetryDelivery> =>
  each<RetryDelivery>(async ({ input, caller }, session) => {
    const key = [uuidOf('workspace', caller.workspaceId), uuidOf('delivery', input.deliveryId)];
    const [delivery] = await session.query<DeliveryRow>(select, key);
    if (!delivery) throw notFound('delivery');
    const webhookId = encodeId('webhook', delivery.webhook_id);
    const webhook = await requireWebhook(subscriptions, caller, webhookId).catch(() => undefined);
    if (!webhook) throw new Fault('conflict', 'The webhook of this delivery is gone.');
    refuseDisabled(webhook);
    await session.query(requeue, [...key, 'manual']);
    session.afterCommit(() => queue.due());
    const [queued] = await session.query<DeliveryRow>(select, key);
    return { delivery: listedDelivery(queued!) };
  });

const select: Statement = {
  name: 'dispatcher.get-listed',
  text: `
    select ${deliveryColumns}
    from dispatcher.deliveries d ${joinQueue}
    where d.workspace_id = $1 and d.id = $2`,
};

const requeue: Statement = {
  name: 'dispatcher.requeue',
  text: `
    with again as (
      update dispatcher.deliveries d
      set status = 'pending', reason = null, completed_at = null
      where d.workspace_id = $1 and d.id = $2
      returning d.workspace_id, d.webhook_id, d.id, d.event_id, jsonb_array_length(d.attempts) as made
    )
    insert into dispatcher.queue as q
      (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
    select workspace_id, webhook_id, id, event_id, made, $3, now() from again
    on conflict (workspace_id, webhook_id, delivery_id) do update
      set due_at = now(), trigger = excluded.trigger
      where q.lease is null or q.due_at <= now()`,
};
