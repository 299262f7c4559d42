import { deliveryCursor, type EventKind } from '@roster/contracts';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import { EventKindEnum } from '../event/event-kind.js';
import { connectionOf } from '../node/connection.js';
import { PageArguments } from '../node/page-arguments.js';
import { PageInfo } from '../node/page-info.js';
import { DateTime } from '../../scalars.js';
import { Delivery, DeliveryStatus, type DeliveryShape } from './delivery.js';

@ArgsType()
export class DeliveryArguments extends PageArguments {
  @Field(() => DeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' })
  status?: DeliveryShape['status'] | null;

  @Field(() => EventKindEnum, {
    nullable: true,
    description: 'Only deliveries of this event kind.',
  })
  kind?: EventKind | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only deliveries of events at or after this time.',
  })
  since?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only deliveries of events before this time.',
  })
  until?: string | null;
}

@ObjectType({ description: 'An edge of a delivery connection.' })
export class DeliveryEdge {
  @Field(() => String, { description: 'Cursor for `after` and `before`.' })
  cursor!: string;

  @Field(() => Delivery)
  node!: DeliveryShape;
}

@ObjectType({ description: 'Deliveries, newest first.' })
export class DeliveryConnection {
  @Field(() => [DeliveryEdge])
  edges!: DeliveryEdge[];

  @Field(() => [Delivery], { description: 'Nodes of the edges.' })
  nodes!: DeliveryShape[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}

interface DeliveryPage {
  deliveries: DeliveryShape[];
  pagination: { next: string | null; previous: string | null };
}

export function deliveryConnectionOf({
  deliveries,
  pagination: { next, previous },
}: DeliveryPage): DeliveryConnection {
  const { pageInfo, ...connection } = connectionOf(deliveries, ({ id }) => deliveryCursor.of(id), {
    hasNext: next !== null,
    hasPrevious: previous !== null,
  });
  const { startCursor, endCursor } = pageInfo;
  // A page with a filter may have ended after its last delivery, or be empty.
  return {
    ...connection,
    pageInfo: {
      ...pageInfo,
      startCursor: previous ?? startCursor,
      endCursor: next ?? endCursor,
    },
  };
}
