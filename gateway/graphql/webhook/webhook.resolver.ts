import { eventKinds, type CallInputOf, type EventKind, type Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import { EventKindEnum } from '../event/event-kind.js';
import { Webhook, type WebhookShape } from './webhook.js';

@InputType()
class CreateWebhookInput implements CallInputOf<Operations['webhooks.create']> {
  @Field(() => String, { description: 'At most 2,048 characters, no credentials, no fragment.' })
  url!: string;

  @Field(() => [EventKindEnum], { description: 'At least one, each once.' })
  events!: EventKind[];

  @Field(() => String, {
    nullable: true,
    description: '8 to 256 visible ASCII characters, used as sent; made when absent.',
  })
  token?: string;
}

@InputType({ description: 'What is left out stays as it is.' })
class UpdateWebhookInput implements Omit<CallInputOf<Operations['webhooks.update']>, 'webhookId'> {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { nullable: true })
  url?: string;

  @Field(() => [EventKindEnum], { nullable: true })
  events?: EventKind[];
}

@InputType()
class RotateWebhookTokenInput implements Omit<
  CallInputOf<Operations['webhooks.rotate-token']>,
  'webhookId'
> {
  @Field(() => ID)
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: '8 to 256 visible ASCII characters, used as sent; made when absent.',
  })
  token?: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long deliveries are signed with the former token too, at most 604,800; 86,400 when absent.',
  })
  overlapSeconds?: number;
}

@InputType()
class EnableWebhookInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
class DisableWebhookInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
class DeleteWebhookInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
class CreateWebhookPayload {
  @Field(() => Webhook)
  webhook!: WebhookShape;
}

@ObjectType()
class UpdateWebhookPayload {
  @Field(() => Webhook)
  webhook!: WebhookShape;
}

@ObjectType()
class RotateWebhookTokenPayload {
  @Field(() => Webhook)
  webhook!: WebhookShape;
}

@ObjectType()
class EnableWebhookPayload {
  @Field(() => Webhook)
  webhook!: WebhookShape;
}

@ObjectType()
class DisableWebhookPayload {
  @Field(() => Webhook)
  webhook!: WebhookShape;
}

@ObjectType()
class DeleteWebhookPayload {
  @Field(() => ID, { description: 'The id of the webhook that is gone.' })
  deletedId!: string;
}

const known: ReadonlySet<string> = new Set(eventKinds);

@Resolver(() => Webhook)
export class WebhookResolver {
  @Query(() => Webhook, { nullable: true, description: 'A webhook; null when there is no such.' })
  async webhook(
    @Arg('id', () => ID) id: string,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await ask.find('webhooks.get', { webhookId: id }))?.webhook ?? null;
  }

  @Query(() => [Webhook], {
    nullable: true,
    description: 'All webhooks of the workspace, oldest first.',
  })
  async webhooks(@Ctx() { ask }: GraphqlContext): Promise<WebhookShape[]> {
    return (await ask.read('webhooks.list', {})).webhooks;
  }

  @FieldResolver(() => [EventKindEnum])
  events(@Root() { events }: WebhookShape): EventKind[] {
    return events.filter((kind): kind is EventKind => known.has(kind));
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The secret deliveries are signed with. Needs the scope `user`.',
  })
  async token(
    @Root() { id, token }: WebhookShape,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<string | undefined> {
    return token ?? (await ask.find('webhooks.get', { webhookId: id }))?.webhook.token;
  }

  @Mutation(() => CreateWebhookPayload)
  createWebhook(
    @Arg('input', () => CreateWebhookInput) input: CreateWebhookInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateWebhookPayload> {
    return ask.write('webhooks.create', input, info);
  }

  @Mutation(() => UpdateWebhookPayload)
  updateWebhook(
    @Arg('input', () => UpdateWebhookInput) { id, ...change }: UpdateWebhookInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateWebhookPayload> {
    return ask.write('webhooks.update', { webhookId: id, ...change }, info);
  }

  @Mutation(() => RotateWebhookTokenPayload, { description: 'Gives a webhook another token.' })
  rotateWebhookToken(
    @Arg('input', () => RotateWebhookTokenInput) { id, ...rotation }: RotateWebhookTokenInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RotateWebhookTokenPayload> {
    return ask.write('webhooks.rotate-token', { webhookId: id, ...rotation }, info);
  }

  @Mutation(() => EnableWebhookPayload, { description: 'Sends to a webhook again.' })
  enableWebhook(
    @Arg('input', () => EnableWebhookInput) { id }: EnableWebhookInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<EnableWebhookPayload> {
    return ask.write('webhooks.enable', { webhookId: id }, info);
  }

  @Mutation(() => DisableWebhookPayload, { description: 'Stops sending to a webhook.' })
  disableWebhook(
    @Arg('input', () => DisableWebhookInput) { id }: DisableWebhookInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DisableWebhookPayload> {
    return ask.write('webhooks.disable', { webhookId: id }, info);
  }

  @Mutation(() => DeleteWebhookPayload)
  async deleteWebhook(
    @Arg('input', () => DeleteWebhookInput) { id }: DeleteWebhookInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteWebhookPayload> {
    await ask.write('webhooks.delete', { webhookId: id }, info);
    return { deletedId: id };
  }
}
