import type { EventKind } from '@roster/contracts';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import { DateTime } from '../../scalars.js';
import { ForwardArguments } from '../node/forward-arguments.js';
import { PageInfo } from '../node/page-info.js';
import { EventKindEnum } from './event-kind.js';
import { Event } from './event.js';

@ArgsType()
export class EventLogArguments extends ForwardArguments {
  @Field(() => [EventKindEnum], { nullable: true, description: 'Only events of these kinds.' })
  kinds?: EventKind[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only events that happened at or after this time.',
  })
  since?: string | null;
}

@ObjectType({ description: 'An edge of an event connection.' })
export class EventEdge {
  @Field(() => String, { description: 'Cursor for `after`: the ID of the event.' })
  cursor!: string;

  @Field(() => Event)
  node!: Event;
}

@ObjectType({ description: 'Events, in the order in which they were published.' })
export class EventConnection {
  @Field(() => [EventEdge])
  edges!: EventEdge[];

  @Field(() => [Event], { description: 'Nodes of the edges.' })
  nodes!: Event[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}
