import type { CallInputOf, EventKind, Operations, WebhookPayload } from '@roster/contracts';
import { Field, ID, InputType, Int } from 'type-graphql';
import { EventKindEnum } from '../event/event-kind.js';
import { WebhookPayloadFormat } from './webhook.js';

@InputType()
export class CreateWebhookInput implements CallInputOf<Operations['webhooks.create']> {
  @Field(() => String, {
    description: 'At most 2,048 characters, without credentials or fragment.',
  })
  url!: string;

  @Field(() => [EventKindEnum], { description: 'At least one kind, without duplicates.' })
  events!: EventKind[];

  @Field(() => String, {
    nullable: true,
    description: '8 to 256 visible ASCII characters. Defaults to a generated token.',
  })
  token?: string;

  @Field(() => WebhookPayloadFormat, { nullable: true, description: 'Defaults to `COMPACT`.' })
  payload?: WebhookPayload;
}

@InputType({ description: 'Omitted fields are left unchanged.' })
export class UpdateWebhookInput implements Omit<
  CallInputOf<Operations['webhooks.update']>,
  'webhookId'
> {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { nullable: true })
  url?: string;

  @Field(() => [EventKindEnum], { nullable: true })
  events?: EventKind[];

  @Field(() => WebhookPayloadFormat, { nullable: true })
  payload?: WebhookPayload;
}

@InputType()
export class RotateWebhookTokenInput implements Omit<
  CallInputOf<Operations['webhooks.rotate-token']>,
  'webhookId'
> {
  @Field(() => ID)
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: '8 to 256 visible ASCII characters. Defaults to a generated token.',
  })
  token?: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long deliveries are also signed with the previous token. At most 604,800; defaults to 86,400.',
  })
  overlapSeconds?: number;
}

@InputType()
export class EnableWebhookInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
export class DisableWebhookInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
export class DeleteWebhookInput {
  @Field(() => ID)
  id!: string;
}
