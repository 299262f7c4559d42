import { Arg, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { attemptsMax } from '../../document/limits.js';
import { countWithin } from '../node/list-page.js';
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

  @Cost({ calls: 'field' })
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

  @Cost({ calls: 'field' })
  @FieldResolver(() => JSONObject, { nullable: true, description: 'Request body, as sent.' })
  async payload(
    @Root() delivery: DeliveryShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<Record<string, unknown> | undefined> {
    return (await completed(delivery, operations)).payload;
  }

  @Cost({ calls: 'field', entriesMax: attemptsMax })
  @FieldResolver(() => [Attempt], { nullable: true, description: 'Oldest first.' })
  async attempts(
    @Root() delivery: DeliveryShape,
    @Arg('last', () => Int, {
      nullable: true,
      description: `Only the last attempts, 1 to ${attemptsMax}. Required if there are more than ${attemptsMax}.`,
    })
    last: number | null | undefined,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<AttemptShape[] | undefined> {
    const { attempts = [] } = await completed(delivery, operations);
    return attempts.slice(-countWithin(attempts.length, { last }, attemptsMax, requestId));
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
