import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import { JSONObject } from '../scalars.js';
import { Webhook, type WebhookShape } from '../webhook/webhook.js';
import { Attempt, Delivery, type AttemptShape, type DeliveryShape } from './delivery.js';

@Resolver(() => Delivery)
export class DeliveryResolver {
  @Query(() => Delivery, {
    nullable: true,
    description: 'A delivery by ID; null when it does not exist.',
  })
  async delivery(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<DeliveryShape | null> {
    return (await operations.find('deliveries.get', { deliveryId: id }))?.delivery ?? null;
  }

  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'Null when the webhook was deleted.',
  })
  async webhook(
    @Root() { webhookId }: DeliveryShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await operations.find('webhooks.get', { webhookId }))?.webhook ?? null;
  }

  @FieldResolver(() => JSONObject, { nullable: true, description: 'Request body, as sent.' })
  async payload(
    @Root() delivery: DeliveryShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<Record<string, unknown> | undefined> {
    return (await whole(delivery, operations)).payload;
  }

  @FieldResolver(() => [Attempt], { nullable: true, description: 'Oldest first.' })
  async attempts(
    @Root() delivery: DeliveryShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<AttemptShape[] | undefined> {
    return (await whole(delivery, operations)).attempts;
  }
}

/** Entries of lists, and what they are without: asked for once, whichever field comes first. */
const asked = new WeakMap<DeliveryShape, Promise<DeliveryShape>>();

async function whole(
  delivery: DeliveryShape,
  operations: GraphqlContext['operations'],
): Promise<Pick<DeliveryShape, 'payload' | 'attempts'>> {
  if (delivery.payload && delivery.attempts) return delivery;
  let answer = asked.get(delivery);
  if (!answer) {
    answer = operations
      .read('deliveries.get', { deliveryId: delivery.id })
      .then((found) => found.delivery);
    asked.set(delivery, answer);
  }
  return answer;
}
