import { operations } from '@roster/contracts';
import { Args, ArgsType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { connectionOf, type Connection } from '../contract/connection.js';
import { InputFieldsOf } from '../contract/fields-of.js';
import { PageArguments, readPage, withoutNull } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { DeliveryConnection } from './deliveries.js';
import type { DeliveryShape } from './delivery.js';
import { Webhook, type WebhookShape } from './webhook.js';

@ArgsType()
@InputFieldsOf(
  operations['deliveries.list'].input.pick({
    status: true,
    kind: true,
    statusCode: true,
    contactId: true,
    since: true,
    until: true,
  }),
  {
    status: 'Only deliveries with this status.',
    kind: 'Only deliveries of this event kind.',
  },
)
class DeliveryArguments extends PageArguments {}

@Resolver(() => Webhook)
export class WebhookDeliveriesResolver {
  // Nullable, so that webhooks are available even if the dispatcher is not.
  @Cost({ calls: 'field' })
  @FieldResolver(() => DeliveryConnection, {
    nullable: true,
    description: 'Deliveries to the webhook, newest first.',
  })
  async deliveries(
    @Root() { id }: WebhookShape,
    @Args(() => DeliveryArguments) { first, after, last, before, ...filter }: DeliveryArguments,
    @Ctx() { operations: calls, requestId }: GraphqlContext,
  ): Promise<Connection<DeliveryShape>> {
    const page = readPage({ first, after, last, before } as PageArguments, requestId);
    const { fromEnd, ...bounds } = page;
    const { deliveries, pagination } = await calls.read('deliveries.list', {
      webhookId: id,
      ...withoutNull(filter),
      ...bounds,
      from: fromEnd ? 'oldest' : 'newest',
    });
    const { next, previous } = pagination;
    const around = { hasNext: next !== null, hasPrevious: previous !== null };
    return connectionOf(deliveries, around, undefined, { start: previous, end: next });
  }
}
