import { statsHoursMax, type Operations, type OutputOf } from '@roster/contracts';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../document/field-cost.js';
import { DateTime } from '../../scalars.js';

type Stats = OutputOf<Operations['webhooks.stats']>['stats'];

@ObjectType()
export class WebhookHour {
  @Field(() => DateTime, { description: 'Start of the hour.' })
  hour!: string;

  @Field(() => Int)
  attempts!: number;

  @Field(() => Int)
  successes!: number;

  @Field(() => Int)
  failures!: number;

  @Field(() => Float, { nullable: true, description: 'Median duration of the attempts.' })
  p50Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: '95th percentile of the duration of the attempts.',
  })
  p95Ms!: number | null;
}

@ObjectType({ description: 'Delivery statistics of a webhook for the last 7 days.' })
export class WebhookStats implements Stats {
  @Cost({ entriesMax: statsHoursMax })
  @Field(() => [WebhookHour], {
    description: 'Hours with at least one attempt, oldest first.',
  })
  hours!: WebhookHour[];
}
