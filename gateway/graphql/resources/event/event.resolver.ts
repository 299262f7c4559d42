import type { EventKind } from '@roster/contracts';
import { Arg, Ctx, FieldResolver, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { Contact } from '../contact/contact.js';
import { EventKindEnum } from './event-kind.js';
import { ContactEvent, Event } from './event.js';

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
    @Ctx() { renew }: GraphqlContext,
    @Arg('kinds', () => [EventKindEnum], {
      nullable: true,
      description: 'Only events of these kinds. Defaults to all kinds.',
    })
    _kinds?: EventKind[],
    @Arg('after', () => ID, {
      nullable: true,
      description:
        'ID of an event to resume after, or of a delivery of it (`webhook-id`). Events since then are sent first, as long as they are retained: all of them after `evt_00000000000000000000000000`. Defaults to new events only.',
    })
    _after?: string,
  ): Event {
    renew();
    return event;
  }
}

@Resolver(() => ContactEvent)
export class ContactEventResolver {
  @Cost({ calls: 'field' })
  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact as it is now; null when it was deleted.',
  })
  async current(
    @Root() { contact }: ContactEvent,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<Contact | null> {
    return (await operations.find('contacts.get', { contactId: contact.id }))?.contact ?? null;
  }
}
