import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { JSONObject } from '../../scalars.js';
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
    return (await completed(delivery, operations)).payload;
  }

  @FieldResolver(() => [Attempt], { nullable: true, description: 'Oldest first.' })
  async attempts(
    @Root() delivery: DeliveryShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<AttemptShape[] | undefined> {
    return (await completed(delivery, operations)).attempts;
  }
}

/** Complete deliveries by their list entries: looked up once, even if both fields are selected. */
const lookUps = new WeakMap<DeliveryShape, Promise<DeliveryShape>>();

async function completed(
  delivery: DeliveryShape,
  operations: GraphqlContext['operations'],
): Promise<Pick<DeliveryShape, 'payload' | 'attempts'>> {
  if (delivery.payload && delivery.attempts) return delivery;
  let lookUp = lookUps.get(delivery);
  if (!lookUp) {
    lookUp = operations
      .read('deliveries.get', { deliveryId: delivery.id })
      .then((found) => found.delivery);
    lookUps.set(delivery, lookUp);
  }
  return lookUp;
}
