import { eventData, eventKinds, pageMax, type EventKind } from '@roster/contracts';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  InterfaceType,
  ObjectType,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { FieldsOf } from '../contract/fields-of.js';
import { readForwardPage } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { DateTime, EmailAddress } from '../scalars.js';
import { Contact, type ContactShape } from './contact.js';
import { Delivery, type DeliveryShape } from './delivery.js';
import { EventKindEnum } from './enums.js';
import { ContactAction, Import } from './workspace.js';

const typeNames: Partial<Record<EventKind, string>> = {
  WORKSPACE_TEAM_MEMBER_JOINED: 'TeamMemberJoinedEvent',
  IMPORT_ENDED: 'ImportEndedEvent',
  ACTION_ENDED: 'ActionEndedEvent',
  WEBHOOK_FAILING: 'WebhookEvent',
  WEBHOOK_DISABLED: 'WebhookEvent',
  DELIVERY_DEAD: 'DeliveryDeadEvent',
  KEY_EXPIRING: 'KeyExpiringEvent',
};

@InterfaceType({
  description: 'An event in the workspace.',
  resolveType: ({ kind }: Event) => typeNames[kind] ?? 'ContactEvent',
})
export abstract class Event {
  @Field(() => ID, {
    description:
      'Event ID. Resume from here with `events(after:)`. Deliveries of the event carry it as `X-Roster-Event-Id`; their `webhook-id` is the ID of the delivery.',
  })
  id!: string;

  @Field(() => EventKindEnum)
  kind!: EventKind;

  @Field(() => DateTime, { description: 'When the event occurred.' })
  createdAt!: string;
}

/** An event as services return it. */
export interface EventFields {
  id: string;
  kind: EventKind;
  createdAt: string;
  data: Record<string, unknown>;
}

/** The fields of `data` are fields of the event. */
export const eventShape = ({ data, ...event }: EventFields): Event => ({ ...event, ...data });

const known = new Set<string>(eventKinds);

/** A kind that a later release adds has no type here. */
export const isKnown = <Fields extends { kind: string }>(
  event: Fields,
): event is Fields & EventFields & { kind: EventKind } => known.has(event.kind);

const { contact } = eventData.CONTACT_CREATED.shape;
const { workspace, user } = eventData.WORKSPACE_TEAM_MEMBER_JOINED.shape;

@ObjectType({ description: 'A contact at the time of the event.' })
@FieldsOf(contact.omit({ email: true }))
class EventContact {
  @Field(() => EmailAddress)
  email!: string;
}

@ObjectType()
@FieldsOf(workspace)
class EventWorkspace {}

@ObjectType({ description: 'A webhook at the time of the event.' })
@FieldsOf(eventData.WEBHOOK_DISABLED.shape.webhook)
class EventWebhook {}

@ObjectType({ description: 'A user at the time of the event.' })
@FieldsOf(user.omit({ email: true }))
class EventUser {
  @Field(() => EmailAddress)
  email!: string;
}

@ObjectType({ implements: Event, description: 'A contact was created, changed or deleted.' })
export class ContactEvent extends Event {
  @Field(() => EventContact)
  contact!: { id: string };
}

@ObjectType({ implements: Event, description: 'A user joined the workspace.' })
export class TeamMemberJoinedEvent extends Event {
  @Field(() => EventWorkspace)
  workspace!: object;

  @Field(() => EventUser)
  user!: object;
}

@ObjectType({
  implements: Event,
  description: 'An import ended: it was completed, was cancelled, or failed.',
})
export class ImportEndedEvent extends Event {
  @Field(() => Import)
  import!: object;
}

@ObjectType({
  implements: Event,
  description: 'An action on contacts ended: it was completed, was cancelled, or failed.',
})
export class ActionEndedEvent extends Event {
  @Field(() => ContactAction)
  action!: object;
}

@ObjectType({ implements: Event, description: 'A webhook begins to fail, or was disabled.' })
export class WebhookEvent extends Event {
  @Field(() => EventWebhook)
  webhook!: object;
}

const { webhook: webhookOfDelivery, delivery } = eventData.DELIVERY_DEAD.shape;

@ObjectType()
@FieldsOf(webhookOfDelivery)
class EventWebhookId {}

@ObjectType({ description: 'A delivery at the time of the event.' })
@FieldsOf(delivery.omit({ kind: true }))
class EventDelivery {
  @Field(() => EventKindEnum)
  kind!: EventKind;
}

@ObjectType({
  implements: Event,
  description: 'A delivery is dead. At most one event per webhook and hour.',
})
export class DeliveryDeadEvent extends Event {
  @Field(() => EventWebhookId)
  webhook!: object;

  @Field(() => EventDelivery)
  delivery!: object;
}

@ObjectType({ description: 'An API key at the time of the event.' })
@FieldsOf(eventData.KEY_EXPIRING.shape.apiKey)
class EventApiKey {}

@ObjectType({ implements: Event, description: 'An API key expires in seven days, or in one.' })
export class KeyExpiringEvent extends Event {
  @Field(() => EventApiKey)
  apiKey!: object;
}

interface EventsArguments {
  kinds?: EventKind[] | null;
  after?: string | null;
}

@Resolver(() => Event)
export class EventResolver {
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
    @Root() { contact: { id } }: ContactEvent,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<ContactShape | null> {
    return (await operations.find('contacts.get', { contactId: id }))?.contact ?? null;
  }
}
