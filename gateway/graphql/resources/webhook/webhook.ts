import type { EventKind, Operations, OutputOf, WebhookPayload } from '@roster/contracts';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { EventKindEnum } from '../event/event-kind.js';
import { Node } from '../node/node.js';
import { DateTime } from '../../scalars.js';

/** A webhook as the service returns it. Entries of lists have no token. */
export type WebhookShape = OutputOf<Operations['webhooks.list']>['webhooks'][number] & {
  token?: string;
  signingSecret?: string;
};

/** Status names in GraphQL and in the contracts. */
const WebhookStatus = {
  ACTIVE: 'active',
  FAILING: 'failing',
  DISABLED: 'disabled',
} as const satisfies Record<Uppercase<WebhookShape['status']>, WebhookShape['status']>;
registerEnumType(WebhookStatus, {
  name: 'WebhookStatus',
  description: 'Status of a webhook.',
  valuesConfig: {
    FAILING: { description: 'Every attempt since the last success failed.' },
    DISABLED: { description: 'No deliveries are sent until the webhook is enabled.' },
  },
});

/** Payload names in GraphQL and in the contracts. The name `WebhookPayload` would be that of a result of a mutation. */
export const WebhookPayloadFormat = {
  COMPACT: 'compact',
  FULL: 'full',
} as const satisfies Record<Uppercase<WebhookPayload>, WebhookPayload>;
registerEnumType(WebhookPayloadFormat, {
  name: 'WebhookPayloadFormat',
  description: 'Fields of `data` in deliveries.',
  valuesConfig: {
    COMPACT: { description: '`id`, `email`, `name` and `createdAt` of a contact.' },
    FULL: { description: 'Also its `tags`, `properties` and `status`, and what changed.' },
  },
});

@ObjectType({ implements: Node, description: 'An endpoint that receives events of the workspace.' })
export class Webhook extends Node {
  @Field(() => String)
  url!: string;

  @Field(() => [EventKindEnum], {
    description:
      'Event kinds that the webhook subscribes to. Unknown stored kinds, which never match, are omitted.',
  })
  events!: EventKind[];

  @Field(() => WebhookPayloadFormat)
  payload!: WebhookPayload;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => WebhookStatus)
  status!: WebhookShape['status'];

  @Field(() => String, { nullable: true, description: 'Why the webhook is disabled.' })
  disabledReason!: string | null;

  @Field(() => DateTime, { nullable: true })
  lastSuccessAt!: string | null;

  @Field(() => DateTime, { nullable: true })
  lastFailureAt!: string | null;

  // Have their own resolvers, because lists do not contain them and they require another scope.
  token?: string;
  signingSecret?: string;
}
