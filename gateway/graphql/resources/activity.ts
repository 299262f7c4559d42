import { activityChanges, activityMax, type ActivityChange } from '@roster/contracts';
import { Ctx, Field, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { FieldsOf } from '../contract/fields-of.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { CircuitState, ReplayStatus } from './enums.js';

@ObjectType({ description: 'A delivery that changed: an attempt ended, or it was queued.' })
@FieldsOf(activityChanges.deliveries)
class DeliveryActivity {}

@ObjectType({
  description: 'The circuit breaker of a webhook in one process was opened or closed.',
})
@FieldsOf(activityChanges.webhooks.omit({ circuit: true }))
class WebhookActivity {
  @Field(() => CircuitState, {
    description: 'While it is open, one delivery at a time is tried now and then.',
  })
  circuit!: ActivityChange<'webhooks'>['circuit'];
}

@ObjectType({ description: 'How far an import is.' })
@FieldsOf(activityChanges.imports)
class ImportActivity {}

@ObjectType({ description: 'How far a replay is.' })
@FieldsOf(activityChanges.replays.omit({ status: true }))
class ReplayActivity {
  @Field(() => ReplayStatus)
  status!: ActivityChange<'replays'>['status'];
}

@ObjectType({ description: 'How far an action on contacts is.' })
@FieldsOf(activityChanges.contactActions)
class ContactActionActivity {}

@ObjectType({ description: 'What changed in the workspace within a fifth of a second.' })
export class Activity {
  @Cost({ entriesMax: activityMax.deliveries })
  @Field(() => [DeliveryActivity])
  deliveries!: object[];

  @Cost({ entriesMax: activityMax.webhooks })
  @Field(() => [WebhookActivity])
  webhooks!: object[];

  @Cost({ entriesMax: activityMax.imports })
  @Field(() => [ImportActivity])
  imports!: object[];

  @Cost({ entriesMax: activityMax.replays })
  @Field(() => [ReplayActivity])
  replays!: object[];

  @Cost({ entriesMax: activityMax.contactActions })
  @Field(() => [ContactActionActivity])
  contactActions!: object[];

  @Field({
    description:
      'Whether further changes are not listed: what is shown must be read again. True in the first result.',
  })
  more!: boolean;
}

@Resolver(() => Activity)
export class ActivityResolver {
  @Subscription(() => Activity, {
    description:
      'Outcomes of deliveries, and the progress of imports, replays and actions on contacts, over SSE or WebSocket: a hint to read again what is shown. Nothing is repeated after a lost connection.',
    subscribe: ({ context }: { context: GraphqlContext }) => context.events.followActivity(),
  })
  activity(@Root() activity: Activity, @Ctx() { renew }: GraphqlContext): Activity {
    renew();
    return activity;
  }
}
