import {
  subscribableKinds,
  healthWebhooksMax,
  operations,
  pageMax,
  signingSecretOf,
  statsHoursMax,
  type Operations,
  type OutputOf,
  type SubscribableKind,
} from '@roster/contracts';
import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { FieldsOf, InputFieldsOf } from '../contract/fields-of.js';
import { ListArguments, listPage, withoutNull } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { EventKindEnum } from './enums.js';
import { Node, NodeType } from './node.js';

/** A webhook as the service returns it without its token; the result of a mutation has it. */
export type WebhookShape = OutputOf<Operations['webhooks.list']>['webhooks'][number] & {
  token?: string;
};

@ObjectType()
@FieldsOf(operations['webhooks.stats'].output.shape.stats.shape.hours.element, {
  p50Ms: 'Median duration of the attempts.',
  p95Ms: '95th percentile of the duration of the attempts.',
})
class WebhookHour {}

@ObjectType({ description: 'Delivery statistics of a webhook for the last 7 days.' })
class WebhookStats {
  @Cost({ entriesMax: statsHoursMax })
  @Field(() => [WebhookHour], { description: 'Hours with at least one attempt, oldest first.' })
  hours!: WebhookHour[];
}

const { input: healthInput, output: healthOutput } = operations['webhook-health.get'];

@ArgsType()
@InputFieldsOf(healthInput)
class WebhookHealthArguments {}

@ObjectType({ description: 'Delivery statistics of a webhook over a period.' })
@FieldsOf(healthOutput.shape.webhooks.element, {
  hours:
    'Hours with at least one attempt, oldest first: `{hour, succeeded, failed, p95Ms}`, as in REST.',
})
class WebhookHealth {}

@NodeType(
  'An endpoint that receives events of the workspace.',
  // Without the secrets, which require another scope.
  operations['webhooks.list'].output.shape.webhooks.element.omit({ events: true }),
  { payload: '', status: '', disabledReason: 'Why the webhook is disabled.' },
)
export class Webhook extends Node {
  @Field(() => [EventKindEnum], {
    description:
      'Event kinds that the webhook subscribes to. Unknown stored kinds, which never match, are omitted.',
  })
  events!: SubscribableKind[];
}

const known: ReadonlySet<string> = new Set(subscribableKinds);

@Resolver(() => Webhook)
export class WebhookResolver {
  @Cost({ entriesMax: pageMax })
  @Query(() => [Webhook], {
    nullable: true,
    description: 'Webhooks of the workspace, oldest first.',
  })
  async webhooks(
    @Args(() => ListArguments) page: ListArguments,
    @Ctx() { operations: calls, requestId }: GraphqlContext,
  ): Promise<WebhookShape[]> {
    const { webhooks } = await calls.readOnce('webhooks.list');
    return listPage(webhooks, page, requestId);
  }

  @Cost({ entriesMax: healthWebhooksMax })
  @Query(() => [WebhookHealth], {
    nullable: true,
    description: 'Delivery statistics of up to 100 webhooks over a period.',
  })
  async webhookHealth(
    @Args(() => WebhookHealthArguments) given: WebhookHealthArguments,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<WebhookHealth[]> {
    return (await calls.read('webhook-health.get', withoutNull(given))).webhooks;
  }

  @Cost({ entriesMax: subscribableKinds.length })
  @FieldResolver(() => [EventKindEnum])
  events(@Root() { events }: WebhookShape): SubscribableKind[] {
    return events.filter((kind): kind is SubscribableKind => known.has(kind));
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Secret that deliveries are signed with. Requires the scope `user`.',
  })
  async token(
    @Root() { id, token }: WebhookShape,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<string | undefined> {
    return token ?? (await calls.find('webhooks.get', { webhookId: id }))?.webhook.token;
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

  // Nullable, so that webhooks are available even if the dispatcher is not.
  @Cost({ calls: 'field' })
  @FieldResolver(() => WebhookStats, {
    nullable: true,
    description: 'Hourly delivery statistics for the last 7 days.',
  })
  async stats(
    @Root() { id }: WebhookShape,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<WebhookStats> {
    return (await calls.read('webhooks.stats', { webhookId: id })).stats;
  }
}
