import { notFound, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import type { SessionHandler, Statement } from '@roster/storage';
import type { Attempt } from '../attempt/attempt.js';
import {
  deliveryColumns,
  listedDelivery,
  shownAttempts,
  type DeliveryRow,
} from './delivery-row.js';
import { joinQueue } from '../queue/queue-table.js';
import type { DispatcherService } from '../service.js';

type GetDelivery = Operations['deliveries.get'];
type WholeDelivery = OutputOf<GetDelivery>['delivery'];

/** Runs one statement per batch. */
export const getDelivery =
  ({ database }: DispatcherService): SessionHandler<GetDelivery> =>
  async (calls) => {
    const rows = await database.query<WholeRow>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('delivery', input.deliveryId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const row = found.get(index + 1);
      return row ? { delivery: wholeDelivery(row) } : notFound('delivery');
    });
  };

const wholeDelivery = (row: WholeRow): WholeDelivery => ({
  ...listedDelivery(row),
  payload: JSON.parse(row.body) as WholeDelivery['payload'],
  attempts: shownAttempts(row.attempts),
});

type WholeRow = DeliveryRow & { n: number; body: string; attempts: Attempt[] };

/** One look-up in the primary keys per call: `offset 0` keeps the planner from reading whole partitions for a large batch. */
const select: Statement = {
  name: 'dispatcher.get',
  text: `
    select requested.n::int, found.*
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n),
      lateral (
        select ${deliveryColumns}, d.attempts, coalesce(d.body, e.body) as body
        from dispatcher.deliveries d
          join dispatcher.events e on e.workspace_id = d.workspace_id and e.id = d.event_id ${joinQueue}
        where d.workspace_id = requested.workspace_id and d.id = requested.id
        offset 0
      ) found`,
};
