import type { EventKind } from '@roster/contracts';
import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import { EventKindEnum } from './event-kind.js';
import { Event } from './event.js';

interface EventsArguments {
  kinds?: EventKind[] | null;
  after?: string | null;
}

@Resolver()
export class EventResolver {
  @Subscription(() => Event, {
    description: 'Events of the workspace as they happen, over SSE or WebSocket.',
    subscribe: ({ args, context }: { args: EventsArguments; context: GraphqlContext }) =>
      context.events.follow(args),
  })
  events(
    @Root() event: Event,
    @Arg('kinds', () => [EventKindEnum], {
      nullable: true,
      description: 'Only these kinds; all where none is named.',
    })
    _kinds?: EventKind[],
    @Arg('after', () => ID, {
      nullable: true,
      description:
        'Begin behind this event: with all that happened since, as long as it is kept. Without it, begin now.',
    })
    _after?: string,
  ): Event {
    return event;
  }
}
