import { eventKinds, pageMax, type EventKind } from '@roster/contracts';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { Delivery, type DeliveryShape } from '../delivery/delivery.js';
import { connectionOf } from '../node/connection.js';
import { readForwardPage } from '../node/forward-arguments.js';
import { EventConnection, EventLogArguments } from './event-log.js';
import { Event, eventShape, type EventFields } from './event.js';

@Resolver(() => Event)
export class EventLogResolver {
  @Query(() => EventConnection, {
    nullable: true,
    description:
      'The events of the workspace, in the order in which they were published. Later events continue after `pageInfo.endCursor`.',
  })
  async eventLog(
    @Args(() => EventLogArguments) { kinds, since, ...page }: EventLogArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<EventConnection> {
    const input = readForwardPage(page, requestId);
    const { events, pagination } = await operations.read('event-log.list', {
      ...input,
      ...(kinds != null && { kinds }),
      ...(since != null && { since }),
    });
    const nodes = events.filter(isKnown).map(eventShape);
    const { pageInfo, ...connection } = connectionOf(nodes, ({ id }) => id, {
      hasNext: pagination.hasMore,
      hasPrevious: input.after !== undefined,
    });
    // A page with a filter may have ended after its last event, or be empty.
    return { ...connection, pageInfo: { ...pageInfo, endCursor: pagination.next } };
  }

  @Query(() => Event, { nullable: true, description: 'An event by ID; null when it is not kept.' })
  async event(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<Event | null> {
    const found = await operations.find('event.get', { eventId: id });
    return found && isKnown(found.event) ? eventShape(found.event) : null;
  }

  @Cost({ calls: 'field', entriesMax: pageMax })
  @FieldResolver(() => [Delivery], {
    nullable: true,
    description: 'Its deliveries: one for each webhook that subscribed to the kind.',
  })
  async deliveries(
    @Root() { id, deliveries }: Event & { deliveries?: DeliveryShape[] },
    @Arg('first', () => Int, { description: 'Number of deliveries from the start, 1 to 100.' })
    first: number,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<DeliveryShape[]> {
    const { limit } = readForwardPage({ first }, requestId);
    const all =
      deliveries ?? (await operations.read('event.get', { eventId: id })).event.deliveries;
    return all.slice(0, limit);
  }
}

const known = new Set<string>(eventKinds);

/** A kind that a later release adds has no type here. */
const isKnown = <Fields extends { kind: string }>(
  event: Fields,
): event is Fields & EventFields & { kind: EventKind } => known.has(event.kind);
