import { decodeId, encodeId, Fault, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service';
import { deliveryColumns, joinQueue, listedDelivery, type DeliveryRow } from './delivery-row.js';
import { endOfIds, momentId } from './moment-id.js';
import { requireWebhook } from './require-webhook.js';
import type { DispatcherService } from './service.js';

type ListDeliveries = Operations['deliveries.list'];

/** Newest first. The cursor is the last delivery's id without its prefix; to clients it is opaque. */
export const listDeliveries = ({
  database,
  subscriptions,
}: DispatcherService): SessionHandler<ListDeliveries> =>
  each<ListDeliveries>(async ({ input, caller }) => {
    const { webhookId, status, kind = null, since, until, limit, after } = input;
    const before = after === undefined ? endOfIds : decodeId('delivery', `dlv_${after}`);
    if (before === undefined) throw badCursor;
    await requireWebhook(subscriptions, caller, webhookId);
    const rows = await database.query<DeliveryRow>(select(status), [
      uuidOf('workspace', caller.workspaceId),
      uuidOf('webhook', webhookId),
      momentId(since ?? 0),
      until === undefined ? endOfIds : momentId(until),
      before,
      kind,
      limit + 1,
    ]);
    const shown = rows.slice(0, limit).map(listedDelivery);
    const next =
      rows.length > limit ? encodeId('delivery', rows[limit - 1]!.id).slice('dlv_'.length) : null;
    return { deliveries: shown, pagination: { limit, next } };
  });

const badCursor = new Fault('invalid', 'The request is not valid.', {
  errors: [{ pointer: '/after', message: 'must be a cursor from `pagination.next`' }],
});

/** The status stands in the text, for the partial index on what is not delivered is used only where that is plain. */
const select = (
  status: Operations['deliveries.list']['input']['_output']['status'],
): Statement => ({
  name: `dispatcher.list-${status ?? 'all'}`,
  text: `
    select ${deliveryColumns}
    from dispatcher.deliveries d ${joinQueue}
    where d.workspace_id = $1 and d.webhook_id = $2
      and d.id >= $3 and d.id < $4 and d.id < $5
      and ($6::text is null or d.kind = $6)
      ${status === undefined ? '' : `and d.status = '${status}'`}
    order by d.id desc limit $7`,
});
