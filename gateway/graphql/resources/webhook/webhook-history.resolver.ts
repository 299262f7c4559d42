import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import {
  DeliveryArguments,
  DeliveryConnection,
  deliveryConnectionOf,
} from '../delivery/delivery-connection.js';
import { readPage } from '../node/page-arguments.js';
import { WebhookStats } from './webhook-stats.js';
import { Webhook, type WebhookShape } from './webhook.js';

/** Deliveries and statistics of a webhook. Nullable, so that webhooks are available even if the dispatcher is not. */
@Resolver(() => Webhook)
export class WebhookHistoryResolver {
  @Cost({ calls: 'field' })
  @FieldResolver(() => DeliveryConnection, {
    nullable: true,
    description: 'Deliveries to the webhook, newest first.',
  })
  async deliveries(
    @Root() { id }: WebhookShape,
    @Args(() => DeliveryArguments) { status, kind, since, until, ...page }: DeliveryArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<DeliveryConnection> {
    const { limit, fromEnd, ...cursors } = readPage(page, requestId);
    const filters = Object.entries({ status, kind, since, until }).filter(
      ([, value]) => value != null,
    );
    const input = {
      webhookId: id,
      ...(Object.fromEntries(filters) as object),
      ...cursors,
      limit,
      from: fromEnd ? 'oldest' : 'newest',
    };
    return deliveryConnectionOf(await operations.read('deliveries.list', input));
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => WebhookStats, {
    nullable: true,
    description: 'Hourly delivery statistics for the last 7 days.',
  })
  async stats(
    @Root() { id }: WebhookShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<WebhookStats> {
    return (await operations.read('webhooks.stats', { webhookId: id })).stats;
  }
}
