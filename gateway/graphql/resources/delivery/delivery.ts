import type { EventKind, Operations, OutputOf } from '@roster/contracts';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { EventKindEnum } from '../event/event-kind.js';
import { Node } from '../node/node.js';
import { DateTime, JSONObject } from '../../scalars.js';
import type { WebhookShape } from '../webhook/webhook.js';

type CompleteDelivery = OutputOf<Operations['deliveries.get']>['delivery'];

/** A delivery as the service returns it. Entries of lists have neither payload nor attempts. */
export type DeliveryShape = OutputOf<Operations['deliveries.retry']>['delivery'] &
  Partial<Pick<CompleteDelivery, 'payload' | 'attempts'>>;
export type AttemptShape = CompleteDelivery['attempts'][number];

/** Status names in GraphQL and in the contracts. */
export const DeliveryStatus = {
  PENDING: 'pending',
  DELIVERED: 'delivered',
  DEAD: 'dead',
  SKIPPED: 'skipped',
} as const satisfies Record<Uppercase<CompleteDelivery['status']>, CompleteDelivery['status']>;
registerEnumType(DeliveryStatus, {
  name: 'DeliveryStatus',
  description: 'Status of a delivery.',
  valuesConfig: {
    PENDING: { description: 'Waiting for the next attempt.' },
    DEAD: {
      description:
        'No further attempts are scheduled. It is sent again only when retried or replayed.',
    },
    SKIPPED: { description: 'Not sent because the webhook was disabled or deleted.' },
  },
});

const AttemptTrigger = {
  EVENT: 'event',
  RETRY: 'retry',
  MANUAL: 'manual',
  REPLAY: 'replay',
  TEST: 'test',
} as const satisfies Record<Uppercase<AttemptShape['trigger']>, AttemptShape['trigger']>;
registerEnumType(AttemptTrigger, {
  name: 'AttemptTrigger',
  description: 'What triggered an attempt.',
  valuesConfig: {
    RETRY: { description: 'A previous attempt failed.' },
    MANUAL: { description: 'Requested with `retryDelivery`.' },
  },
});

@ObjectType({ description: 'One POST request of a delivery.' })
export class Attempt implements AttemptShape {
  @Field(() => Int, { description: 'From 1.' })
  number!: number;

  @Field(() => AttemptTrigger)
  trigger!: AttemptShape['trigger'];

  @Field(() => DateTime)
  startedAt!: string;

  @Field(() => String, { nullable: true, description: 'IP address that the request was sent to.' })
  address!: string | null;

  @Field(() => Int, { nullable: true })
  statusCode!: number | null;

  @Field(() => String, { nullable: true, description: 'Class of the error.' })
  errorClass!: string | null;

  @Field(() => String, { nullable: true, description: 'Human-readable error message.' })
  error!: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Null when the connection was reused.',
  })
  dnsMs!: number | null;

  @Field(() => Float, { nullable: true })
  connectMs!: number | null;

  @Field(() => Float, { nullable: true })
  tlsMs!: number | null;

  @Field(() => Float, { nullable: true })
  firstByteMs!: number | null;

  @Field(() => Float)
  totalMs!: number;

  @Field(() => JSONObject)
  responseHeaders!: Record<string, string>;

  @Field(() => String, { description: 'First 4 KiB of the response body.' })
  responseBody!: string;
}

@ObjectType({ implements: Node, description: 'Delivery of one event to one webhook.' })
export class Delivery extends Node {
  @Field(() => ID, { description: 'Kept when the webhook is deleted.' })
  webhookId!: string;

  // Has its own resolver.
  webhook?: WebhookShape | null;

  @Field(() => ID, { description: 'ID of the event; the same for the deliveries to all webhooks.' })
  eventId!: string;

  @Field(() => EventKindEnum)
  kind!: EventKind;

  @Field(() => DeliveryStatus)
  status!: CompleteDelivery['status'];

  @Field(() => String, { nullable: true, description: 'Why the delivery is dead or was skipped.' })
  reason!: string | null;

  @Field(() => Int)
  attemptCount!: number;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => DateTime, { nullable: true })
  completedAt!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Null when no further attempt is scheduled, or while the webhook is disabled.',
  })
  nextAttemptAt!: string | null;

  // Have their own resolvers, because lists do not contain them.
  payload?: Record<string, unknown>;
  attempts?: Attempt[];
}
