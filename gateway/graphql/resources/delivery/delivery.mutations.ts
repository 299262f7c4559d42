import type { CallInputOf, EventKind, Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { EventKindEnum } from '../event/event-kind.js';
import { Delivery, type DeliveryShape } from './delivery.js';

@InputType()
class RetryDeliveryInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
class TestWebhookInput implements Omit<CallInputOf<Operations['webhooks.test']>, 'webhookId'> {
  @Field(() => ID)
  id!: string;

  @Field(() => EventKindEnum, {
    description: 'Event kind to send. The webhook need not be subscribed to it.',
  })
  kind!: EventKind;
}

@ObjectType()
class RetryDeliveryPayload {
  @Field(() => Delivery)
  delivery!: DeliveryShape;
}

@ObjectType()
class TestWebhookPayload {
  @Field(() => Delivery)
  delivery!: DeliveryShape;
}

@Resolver()
export class DeliveryMutations {
  @Mutation(() => RetryDeliveryPayload, {
    description: 'Retries a delivery immediately, whatever its status.',
  })
  retryDelivery(
    @Arg('input', () => RetryDeliveryInput) { id }: RetryDeliveryInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RetryDeliveryPayload> {
    return operations.write('deliveries.retry', { deliveryId: id }, info);
  }

  @Mutation(() => TestWebhookPayload, {
    description: 'Sends a test event to a webhook. It is not retried.',
  })
  testWebhook(
    @Arg('input', () => TestWebhookInput) { id, kind }: TestWebhookInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<TestWebhookPayload> {
    return operations.write('webhooks.test', { webhookId: id, kind }, info);
  }
}
