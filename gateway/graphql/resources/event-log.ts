import { operations } from '@roster/contracts';
import { Args, ArgsType, Ctx, Query, Resolver } from 'type-graphql';
import { connectionOf, ConnectionOf, type Connection } from '../contract/connection.js';
import { InputFieldsOf } from '../contract/fields-of.js';
import { ForwardArguments, readForwardPage, withoutNull } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Event, eventShape, isKnown } from './event.js';

@ArgsType()
@InputFieldsOf(
  operations['event-log.list'].input.pick({
    kinds: true,
    since: true,
    order: true,
    contactId: true,
  }),
)
class EventLogArguments extends ForwardArguments {}

@ConnectionOf(() => Event, {
  edge: 'EventEdge',
  of: 'an event',
  description: 'Events, in the order that was requested.',
  cursor: 'Cursor for `after`: the ID of the event.',
})
class EventConnection {}

@Resolver()
export class EventLogResolver {
  @Query(() => EventConnection, {
    nullable: true,
    description:
      'The events of the workspace, in the order in which they were published, or with `order: DESC` newest first. Without it, later events continue after `pageInfo.endCursor`.',
  })
  async eventLog(
    @Args(() => EventLogArguments) { first, after, ...filter }: EventLogArguments,
    @Ctx() { operations: calls, requestId }: GraphqlContext,
  ): Promise<Connection<Event>> {
    const page = readForwardPage({ first, ...(after != null && { after }) }, requestId);
    const { events, pagination } = await calls.read('event-log.list', {
      ...page,
      ...withoutNull(filter),
    });
    return connectionOf(
      events.filter(isKnown).map(eventShape),
      { hasNext: pagination.hasMore, hasPrevious: page.after !== undefined },
      ({ id }) => id,
      { end: pagination.next },
    );
  }
}
