import { eventKinds, signingSecretOf, webhooksMax, type EventKind } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { ListArguments, listPage } from '../node/list-page.js';
import { EventKindEnum } from '../event/event-kind.js';
import {
  CreateWebhookInput,
  DeleteWebhookInput,
  DisableWebhookInput,
  EnableWebhookInput,
  RotateWebhookTokenInput,
  UpdateWebhookInput,
} from './webhook.inputs.js';
import { Webhook, type WebhookShape } from './webhook.js';

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
  @Field(() => ID, { description: 'ID of the deleted webhook.' })
  deletedId!: string;
}

const known: ReadonlySet<string> = new Set(eventKinds);

@Resolver(() => Webhook)
export class WebhookResolver {
  @Query(() => Webhook, {
    nullable: true,
    description: 'A webhook by ID; null when it does not exist.',
  })
  async webhook(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await operations.find('webhooks.get', { webhookId: id }))?.webhook ?? null;
  }

  @Cost({ entriesMax: webhooksMax })
  @Query(() => [Webhook], {
    nullable: true,
    description: 'Webhooks of the workspace, oldest first.',
  })
  async webhooks(
    @Args(() => ListArguments) page: ListArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<WebhookShape[]> {
    const { webhooks } = await operations.readOnce('webhooks.list');
    return listPage(webhooks, page, webhooksMax, requestId);
  }

  @Cost({ entriesMax: eventKinds.length })
  @FieldResolver(() => [EventKindEnum])
  events(@Root() { events }: WebhookShape): EventKind[] {
    return events.filter((kind): kind is EventKind => known.has(kind));
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Secret that deliveries are signed with. Requires the scope `user`.',
  })
  async token(
    @Root() { id, token }: WebhookShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<string | undefined> {
    return token ?? (await operations.find('webhooks.get', { webhookId: id }))?.webhook.token;
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The token as the libraries of Standard Webhooks take it. Requires the scope `user`.',
  })
  async signingSecret(
    @Root() webhook: WebhookShape,
    @Ctx() context: GraphqlContext,
  ): Promise<string | undefined> {
    const token = await this.token(webhook, context);
    return token === undefined ? undefined : signingSecretOf(token);
  }

  @Mutation(() => CreateWebhookPayload)
  createWebhook(
    @Arg('input', () => CreateWebhookInput) input: CreateWebhookInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateWebhookPayload> {
    return operations.write('webhooks.create', input, info);
  }

  @Mutation(() => UpdateWebhookPayload)
  updateWebhook(
    @Arg('input', () => UpdateWebhookInput) { id, ...change }: UpdateWebhookInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateWebhookPayload> {
    return operations.write('webhooks.update', { webhookId: id, ...change }, info);
  }

  @Mutation(() => RotateWebhookTokenPayload, { description: 'Rotates the token of a webhook.' })
  rotateWebhookToken(
    @Arg('input', () => RotateWebhookTokenInput) { id, ...rotation }: RotateWebhookTokenInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RotateWebhookTokenPayload> {
    return operations.write('webhooks.rotate-token', { webhookId: id, ...rotation }, info);
  }

  @Mutation(() => EnableWebhookPayload, { description: 'Enables a webhook.' })
  enableWebhook(
    @Arg('input', () => EnableWebhookInput) { id }: EnableWebhookInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<EnableWebhookPayload> {
    return operations.write('webhooks.enable', { webhookId: id }, info);
  }

  @Mutation(() => DisableWebhookPayload, { description: 'Disables a webhook.' })
  disableWebhook(
    @Arg('input', () => DisableWebhookInput) { id }: DisableWebhookInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DisableWebhookPayload> {
    return operations.write('webhooks.disable', { webhookId: id }, info);
  }

  @Mutation(() => DeleteWebhookPayload)
  async deleteWebhook(
    @Arg('input', () => DeleteWebhookInput) { id }: DeleteWebhookInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteWebhookPayload> {
    await operations.write('webhooks.delete', { webhookId: id }, info);
    return { deletedId: id };
  }
}
