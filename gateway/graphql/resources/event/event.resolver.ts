import type { EventKind } from '@roster/contracts';
import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { EventKindEnum } from './event-kind.js';
import { Event } from './event.js';

interface EventsArguments {
  kinds?: EventKind[] | null;
  after?: string | null;
}

@Resolver()
export class EventResolver {
  @Subscription(() => Event, {
    description: 'Events of the workspace in real time, over SSE or WebSocket.',
    subscribe: ({ args, context }: { args: EventsArguments; context: GraphqlContext }) =>
      context.events.follow(args),
  })
  events(
    @Root() event: Event,
    @Arg('kinds', () => [EventKindEnum], {
      nullable: true,
      description: 'Only events of these kinds. Defaults to all kinds.',
    })
    _kinds?: EventKind[],
    @Arg('after', () => ID, {
      nullable: true,
      description:
        'ID of an event to resume after, or of a delivery of it (`webhook-id`). Events since then are sent first, as long as they are retained. Defaults to new events only.',
    })
    _after?: string,
  ): Event {
    return event;
  }
}
