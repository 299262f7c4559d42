import type { Call } from '@roster/bus';
import { eventIdStart, notFound, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import type { SessionHandler, Statement } from '@roster/storage';
import { joinQueue } from '../queue/queue-table.js';
import type { DispatcherService } from '../service.js';
import { deliveryColumns, listedDelivery, type DeliveryRow } from './delivery-row.js';
import { listedEvent, type ListedEvent } from './list-events.js';
import { findLogged } from './log-position.js';
import { settleInTurns } from './settle-in-turns.js';

type GetEvent = Operations['event.get'];
type GetCall = Call<InputOf<GetEvent>>;

/**
 * Events with deliveries are read from PostgreSQL, with two statements per batch, and others from the stream. Event and deliveries
 * are recorded in one statement: an event that has a row has all deliveries that are recorded so far.
 */
export const getEvent =
  ({ database, log }: DispatcherService): SessionHandler<GetEvent> =>
  async (calls) => {
    const ids = calls.map(({ input }) => uuidOf('event', input.eventId));
    const workspaces = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    const events = await database.query<EventRow>(selectEvents, [workspaces, ids]);
    const deliveries = await database.query<DeliveryRow & { n: number }>(selectDeliveries, [
      workspaces,
      ids,
      ids.map((id) => `${eventIdStart(id)}-0000-000000000000`),
      ids.map((id) => `${eventIdStart(id)}-ffff-ffffffffffff`),
    ]);
    const recorded = new Map(events.map((row) => [row.n - 1, row]));
    return settleInTurns(calls, async (call, index) => {
      const row = recorded.get(index);
      const event = row ? eventOf(call, row) : await loggedEvent(call, log);
      if (!event) return notFound('event');
      const own = deliveries.filter(({ n }) => n - 1 === index);
      return { event: { ...event, deliveries: own.map(listedDelivery) } };
    });
  };

const eventOf = ({ input }: GetCall, { kind, body }: EventRow): ListedEvent | undefined =>
  listedEvent({ id: input.eventId, kind, body });

async function loggedEvent(
  { input, caller }: GetCall,
  log: DispatcherService['log'],
): Promise<ListedEvent | undefined> {
  const found = await findLogged(input.eventId, (fromMs) =>
    log.readEvents({ workspaceId: caller.workspaceId, fromMs }),
  );
  return found && listedEvent(found);
}

interface EventRow {
  n: number;
  kind: string;
  body: string;
}

const selectEvents: Statement = {
  name: 'dispatcher.get-events',
  text: `
    select requested.n::int, e.kind, e.body
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n),
      lateral (
        select kind, body from dispatcher.events
        where workspace_id = requested.workspace_id and id = requested.id
        offset 0
      ) e`,
};

/** The IDs of an event's deliveries begin with the event's time and counter: a range of the primary key. */
const selectDeliveries: Statement = {
  name: 'dispatcher.deliveries-of-event',
  text: `
    select requested.n::int, found.*
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[])
        with ordinality as requested (workspace_id, id, first_id, last_id, n),
      lateral (
        select ${deliveryColumns}
        from dispatcher.deliveries d ${joinQueue}
        where d.workspace_id = requested.workspace_id and d.event_id = requested.id
          and d.id between requested.first_id and requested.last_id
        order by d.id limit 1000 offset 0
      ) found
    order by requested.n, found.id`,
};
