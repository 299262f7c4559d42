import type { CallInputOf, EventKind, Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
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

  @Field(() => EventKindEnum, { description: 'Whether or not it is told of this kind.' })
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
    description: 'Sends a delivery again now, whatever became of it.',
  })
  retryDelivery(
    @Arg('input', () => RetryDeliveryInput) { id }: RetryDeliveryInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RetryDeliveryPayload> {
    return ask.write('deliveries.retry', { deliveryId: id }, info);
  }

  @Mutation(() => TestWebhookPayload, { description: 'Sends a sample event to a webhook, once.' })
  testWebhook(
    @Arg('input', () => TestWebhookInput) { id, kind }: TestWebhookInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<TestWebhookPayload> {
    return ask.write('webhooks.test', { webhookId: id, kind }, info);
  }
}
