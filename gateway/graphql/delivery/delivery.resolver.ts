import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import { JSONObject } from '../scalars.js';
import { Webhook, type WebhookShape } from '../webhook/webhook.js';
import { Attempt, Delivery, type AttemptShape, type DeliveryShape } from './delivery.js';

@Resolver(() => Delivery)
export class DeliveryResolver {
  @Query(() => Delivery, { nullable: true, description: 'A delivery; null when there is no such.' })
  async delivery(
    @Arg('id', () => ID) id: string,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<DeliveryShape | null> {
    return (await ask.find('deliveries.get', { deliveryId: id }))?.delivery ?? null;
  }

  @FieldResolver(() => Webhook, { nullable: true, description: 'Null when it is gone.' })
  async webhook(
    @Root() { webhookId }: DeliveryShape,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await ask.find('webhooks.get', { webhookId }))?.webhook ?? null;
  }

  @FieldResolver(() => JSONObject, { nullable: true, description: 'The body, as it is sent.' })
  async payload(
    @Root() delivery: DeliveryShape,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<Record<string, unknown> | undefined> {
    return (await whole(delivery, ask)).payload;
  }

  @FieldResolver(() => [Attempt], { nullable: true, description: 'Oldest first.' })
  async attempts(
    @Root() delivery: DeliveryShape,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<AttemptShape[] | undefined> {
    return (await whole(delivery, ask)).attempts;
  }
}

/** Entries of lists, and what they are without: asked for once, whichever field comes first. */
const asked = new WeakMap<DeliveryShape, Promise<DeliveryShape>>();

async function whole(
  delivery: DeliveryShape,
  ask: GraphqlContext['ask'],
): Promise<Pick<DeliveryShape, 'payload' | 'attempts'>> {
  if (delivery.payload && delivery.attempts) return delivery;
  let answer = asked.get(delivery);
  if (!answer) {
    answer = ask
      .read('deliveries.get', { deliveryId: delivery.id })
      .then((found) => found.delivery);
    asked.set(delivery, answer);
  }
  return answer;
}
