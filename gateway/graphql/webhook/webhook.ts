import type { EventKind, Operations, OutputOf } from '@roster/contracts';
import { Field, ObjectType } from 'type-graphql';
import { EventKindEnum } from '../event/event-kind.js';
import { Node } from '../node/node.js';
import { DateTime } from '../scalars.js';

/** A webhook as the service gives it: an entry of a list has no token. */
export type WebhookShape = OutputOf<Operations['webhooks.list']>['webhooks'][number] & {
  token?: string;
};

@ObjectType({ implements: Node, description: 'Where events of the workspace are sent to.' })
export class Webhook extends Node {
  @Field(() => String)
  url!: string;

  @Field(() => [EventKindEnum], {
    description:
      'The kinds it is told of. Stored kinds beyond these, which match nothing, are left out.',
  })
  events!: EventKind[];

  @Field(() => DateTime)
  createdAt!: string;

  // Resolved by itself: lists come without it, and it needs a scope of its own.
  token?: string;
}
