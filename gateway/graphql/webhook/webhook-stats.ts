import type { Operations, OutputOf } from '@roster/contracts';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../scalars.js';

type Stats = OutputOf<Operations['webhooks.stats']>['stats'];

@ObjectType()
export class WebhookHour {
  @Field(() => DateTime, { description: 'Its beginning.' })
  hour!: string;

  @Field(() => Int)
  attempts!: number;

  @Field(() => Int)
  successes!: number;

  @Field(() => Int)
  failures!: number;

  @Field(() => Float, { nullable: true, description: 'Half of the attempts took no longer.' })
  p50Ms!: number | null;

  @Field(() => Float, { nullable: true, description: '95 of 100 attempts took no longer.' })
  p95Ms!: number | null;
}

@ObjectType({ description: 'How a webhook fared in the last 7 days.' })
export class WebhookStats implements Stats {
  @Field(() => [WebhookHour], {
    description: 'The hours in which something was sent, oldest first.',
  })
  hours!: WebhookHour[];
}
