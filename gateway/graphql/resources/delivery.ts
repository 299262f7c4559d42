import { operations, type EventKind, type Operations, type OutputOf } from '@roster/contracts';
import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { FieldsOf } from '../contract/fields-of.js';
import { countWithin } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { attemptsMax } from '../document/limits.js';
import { JSONObject } from '../scalars.js';
import { EventKindEnum } from './enums.js';
import { Node, NodeType } from './node.js';
import { Webhook, type WebhookShape } from './webhook.js';

type CompleteDelivery = OutputOf<Operations['deliveries.get']>['delivery'];
type AttemptShape = CompleteDelivery['attempts'][number];

/** A delivery as the service returns it. Entries of lists have neither payload nor attempts. */
export type DeliveryShape = OutputOf<Operations['deliveries.retry']>['delivery'] &
  Partial<Pick<CompleteDelivery, 'payload' | 'attempts'>>;

@ObjectType({ description: 'One POST request of a delivery.' })
@FieldsOf(operations['deliveries.get'].output.shape.delivery.shape.attempts.element, {
  number: 'From 1.',
  errorClass: 'Class of the error.',
})
class Attempt {}

@ObjectType({ description: 'The contact that an event is about, as it was then.' })
@FieldsOf(operations['deliveries.get'].output.shape.delivery.shape.subject.unwrap())
class DeliverySubject {}

@NodeType(
  'Delivery of one event to one webhook.',
  operations['deliveries.list'].output.shape.deliveries.element.omit({ kind: true }),
  {
    webhookId: 'Kept when the webhook is deleted.',
    eventId: 'ID of the event; the same for the deliveries to all webhooks.',
  },
)
export class Delivery extends Node {
  @Field(() => EventKindEnum)
  kind!: EventKind;
}

@Resolver(() => Delivery)
export class DeliveryResolver {
  @Cost({ calls: 'field' })
  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'Null when the webhook was deleted.',
  })
  async webhook(
    @Root() { webhookId }: DeliveryShape,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await calls.find('webhooks.find', { webhookId }))?.webhook ?? null;
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => JSONObject, { nullable: true, description: 'Request body, as sent.' })
  async payload(
    @Root() delivery: DeliveryShape,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<Record<string, unknown> | undefined> {
    return (await completed(delivery, calls)).payload;
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
    @Ctx() { operations: calls, requestId }: GraphqlContext,
  ): Promise<AttemptShape[] | undefined> {
    const { attempts = [] } = await completed(delivery, calls);
    return attempts.slice(-countWithin(attempts.length, { last }, attemptsMax, requestId));
  }
}

/** Found by the name that it has in the contracts. */
export const deliveryTypes = [DeliverySubject];

/** Complete deliveries by their list entries: looked up once, even if both fields are selected. */
const lookUps = new WeakMap<DeliveryShape, Promise<DeliveryShape>>();

async function completed(
  delivery: DeliveryShape,
  calls: GraphqlContext['operations'],
): Promise<Pick<DeliveryShape, 'payload' | 'attempts'>> {
  if (delivery.payload && delivery.attempts) return delivery;
  let lookUp = lookUps.get(delivery);
  if (!lookUp) {
    lookUp = calls
      .read('deliveries.get', { deliveryId: delivery.id })
      .then((found) => found.delivery);
    lookUps.set(delivery, lookUp);
  }
  return lookUp;
}
