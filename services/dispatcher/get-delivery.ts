import { notFound, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import type { Attempt } from './attempt.js';
import {
  deliveryColumns,
  joinQueue,
  listedDelivery,
  shownAttempts,
  type DeliveryRow,
} from './delivery-row.js';
import type { DispatcherService } from './service.js';

type GetDelivery = Operations['deliveries.get'];

export const getDelivery = ({ database }: DispatcherService): SessionHandler<GetDelivery> =>
  each<GetDelivery>(async ({ input, caller }) => {
    const [row] = await database.query<DeliveryRow & { body: string; attempts: Attempt[] }>(
      select,
      [uuidOf('workspace', caller.workspaceId), uuidOf('delivery', input.deliveryId)],
    );
    if (!row) throw notFound('delivery');
    const payload = JSON.parse(row.body) as OutputOf<GetDelivery>['delivery']['payload'];
    return { delivery: { ...listedDelivery(row), payload, attempts: shownAttempts(row.attempts) } };
  });

const select: Statement = {
  name: 'dispatcher.get',
  text: `
    select ${deliveryColumns}, d.attempts, e.body
    from dispatcher.deliveries d
      join dispatcher.events e on e.workspace_id = d.workspace_id and e.id = d.event_id ${joinQueue}
    where d.workspace_id = $1 and d.id = $2`,
};
