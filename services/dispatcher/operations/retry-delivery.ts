import { Fault, notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type Statement } from '@roster/storage';
import { joinQueue, requeue } from '../queue/queue-table.js';
import { deliveryColumns, listedDelivery, type DeliveryRow } from './delivery-row.js';
import { refuseDisabled } from './require-webhook.js';
import { auditLog, type DispatcherService } from '../service.js';

/** Puts a delivery into the queue, due now, whatever its status. A delivery whose attempt is in flight is not changed. */
export const retryDelivery = ({ queue, activity, subscriptions }: DispatcherService) =>
  each<Operations['deliveries.retry']>(async (call, session) => {
    const { input, caller } = call;
    const key = [uuidOf('workspace', caller.workspaceId), uuidOf('delivery', input.deliveryId)];
    const [delivery] = await session.query<DeliveryRow>(select, key);
    if (!delivery) throw notFound('delivery');
    const webhook = await subscriptions.one(key[0]!, delivery.webhook_id);
    if (!webhook) throw new Fault('conflict', 'The webhook of this delivery was deleted.');
    refuseDisabled(webhook);
    return session.transaction(async (inner) => {
      const changed = await inner.query<object>(requeue, key);
      if (changed.length > 0)
        await auditLog.record(inner, call, {
          action: 'delivery.retried',
          resourceId: input.deliveryId,
          before: { status: delivery.status },
          after: { status: 'pending' },
        });
      const [queued] = await inner.query<DeliveryRow>(select, key);
      const shown = listedDelivery(queued!);
      inner.afterCommit(() => {
        queue.due();
        activity.queuedAgain(key[0]!, delivery.id, shown);
      });
      return { delivery: shown };
    });
  });

const select: Statement = {
  name: 'dispatcher.get-listed',
  text: `
    select ${deliveryColumns}
    from dispatcher.deliveries d ${joinQueue}
    where d.workspace_id = $1 and d.id = $2`,
};
