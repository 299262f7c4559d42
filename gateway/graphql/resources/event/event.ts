import type { EventKind } from '@roster/contracts';
import { Field, ID, InterfaceType, ObjectType } from 'type-graphql';
import { DateTime, EmailAddress } from '../../scalars.js';
import { Import, type ImportShape } from '../import/import.js';
import { EventKindEnum } from './event-kind.js';

const typeNames: Partial<Record<EventKind, string>> = {
  WORKSPACE_TEAM_MEMBER_JOINED: 'TeamMemberJoinedEvent',
  IMPORT_ENDED: 'ImportEndedEvent',
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

@ObjectType({ description: 'A contact at the time of the event.' })
export class EventContact {
  @Field(() => ID)
  id!: string;

  @Field(() => EmailAddress)
  email!: string;

  @Field(() => String)
  name!: string;

  @Field(() => DateTime)
  createdAt!: string;
}

@ObjectType()
export class EventWorkspace {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;
}

@ObjectType({ description: 'A user at the time of the event.' })
export class EventUser {
  @Field(() => ID)
  id!: string;

  @Field(() => EmailAddress)
  email!: string;

  @Field(() => String)
  name!: string;
}

@ObjectType({ implements: Event, description: 'A contact was created, changed or deleted.' })
export class ContactEvent extends Event {
  @Field(() => EventContact)
  contact!: EventContact;
}

@ObjectType({ implements: Event, description: 'A user joined the workspace.' })
export class TeamMemberJoinedEvent extends Event {
  @Field(() => EventWorkspace)
  workspace!: EventWorkspace;

  @Field(() => EventUser)
  user!: EventUser;
}

@ObjectType({
  implements: Event,
  description: 'An import ended: it was completed, was cancelled, or failed.',
})
export class ImportEndedEvent extends Event {
  @Field(() => Import)
  import!: ImportShape;
}
