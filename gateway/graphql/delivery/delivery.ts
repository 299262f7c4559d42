import type { Operations, OutputOf } from '@roster/contracts';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { EventKind } from '@roster/contracts';
import { EventKindEnum } from '../event/event-kind.js';
import { Node } from '../node/node.js';
import { DateTime, JSONObject } from '../scalars.js';
import type { WebhookShape } from '../webhook/webhook.js';

type Whole = OutputOf<Operations['deliveries.get']>['delivery'];

/** A delivery as the service gives it: an entry of a list has neither payload nor attempts. */
export type DeliveryShape = OutputOf<Operations['deliveries.retry']>['delivery'] &
  Partial<Pick<Whole, 'payload' | 'attempts'>>;
export type AttemptShape = Whole['attempts'][number];

/** The states' names in GraphQL, and in the contracts. */
export const DeliveryStatus = {
  PENDING: 'pending',
  DELIVERED: 'delivered',
  DEAD: 'dead',
  SKIPPED: 'skipped',
} as const satisfies Record<Uppercase<Whole['status']>, Whole['status']>;
registerEnumType(DeliveryStatus, {
  name: 'DeliveryStatus',
  description: 'What became of a delivery.',
  valuesConfig: {
    PENDING: { description: 'Waits for its next attempt.' },
    DEAD: { description: 'No further attempt is made, unless somebody retries it.' },
    SKIPPED: { description: 'Nothing was sent, for the webhook was disabled or gone.' },
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
  description: 'Why an attempt was made.',
  valuesConfig: {
    RETRY: { description: 'An attempt before had failed.' },
    MANUAL: { description: 'Somebody asked for it with `retryDelivery`.' },
  },
});

@ObjectType({ description: 'One POST of a delivery.' })
export class Attempt implements AttemptShape {
  @Field(() => Int, { description: 'From 1.' })
  number!: number;

  @Field(() => AttemptTrigger)
  trigger!: AttemptShape['trigger'];

  @Field(() => DateTime)
  startedAt!: string;

  @Field(() => String, { nullable: true, description: 'The address connected to.' })
  address!: string | null;

  @Field(() => Int, { nullable: true })
  statusCode!: number | null;

  @Field(() => String, { nullable: true, description: 'What kind of failure it was.' })
  errorClass!: string | null;

  @Field(() => String, { nullable: true, description: 'What went wrong, in a sentence.' })
  error!: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Null on a connection that was open already.',
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

  @Field(() => String, { description: 'The first 4 KiB.' })
  responseBody!: string;
}

@ObjectType({ implements: Node, description: 'One event to one webhook.' })
export class Delivery extends Node {
  @Field(() => ID, { description: 'Stays when the webhook is gone.' })
  webhookId!: string;

  // Resolved by itself.
  webhook?: WebhookShape | null;

  @Field(() => ID, { description: 'The event: the same in the deliveries of all webhooks.' })
  eventId!: string;

  @Field(() => EventKindEnum)
  kind!: EventKind;

  @Field(() => DeliveryStatus)
  status!: Whole['status'];

  @Field(() => String, { nullable: true, description: 'Why it is dead or was skipped.' })
  reason!: string | null;

  @Field(() => Int)
  attemptCount!: number;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => DateTime, { nullable: true })
  completedAt!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Null when nothing is to come, or while the webhook is disabled.',
  })
  nextAttemptAt!: string | null;

  // Resolved by themselves: lists come without them.
  payload?: Record<string, unknown>;
  attempts?: Attempt[];
}
