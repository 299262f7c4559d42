import type { CallInputOf, EventKind, Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { DeliveryStatus, type DeliveryShape } from '../delivery/delivery.js';
import { EventKindEnum } from '../event/event-kind.js';
import { DateTime } from '../../scalars.js';
import { Webhook, type WebhookShape } from '../webhook/webhook.js';
import { findReplay, Replay, stored, type ReplayShape } from './replay.js';

@InputType()
class CreateReplayInput implements CallInputOf<Operations['replays.create']> {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => DateTime, { description: 'Only deliveries of events at or after this time.' })
  since!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only deliveries of events before this time. Defaults to the current time.',
  })
  until?: string;

  @Field(() => DeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' })
  status?: DeliveryShape['status'];

  @Field(() => [EventKindEnum], {
    nullable: true,
    description: 'Only deliveries of these event kinds.',
  })
  kinds?: EventKind[];

  @Field(() => Boolean, {
    nullable: true,
    description: 'Count the matching deliveries without sending them.',
  })
  dryRun?: boolean;
}

@InputType()
class CancelReplayInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
class CreateReplayPayload {
  @Field(() => Replay, { nullable: true, description: 'Null for a dry run.' })
  replay!: ReplayShape | null;

  @Field(() => Int, { description: 'Number of deliveries that the replay covers, or would cover.' })
  total!: number;
}

@ObjectType()
class CancelReplayPayload {
  @Field(() => Replay)
  replay!: ReplayShape;
}

@Resolver(() => Replay)
export class ReplayResolver {
  @Query(() => Replay, {
    nullable: true,
    description: 'A replay by ID; null when it does not exist.',
  })
  replay(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<ReplayShape | null> {
    return findReplay(operations, id);
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'Null when the webhook was deleted.',
  })
  async webhook(
    @Root() { webhookId }: ReplayShape,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await operations.find('webhooks.get', { webhookId }))?.webhook ?? null;
  }

  @Mutation(() => CreateReplayPayload, {
    description: 'Replays deliveries of a webhook in a time range.',
  })
  async createReplay(
    @Arg('input', () => CreateReplayInput) input: CreateReplayInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateReplayPayload> {
    const { replay } = await operations.write('replays.create', input, info);
    return { replay: stored(replay), total: replay.total };
  }

  @Mutation(() => CancelReplayPayload, {
    description: 'Cancels a replay. Deliveries already queued are still sent.',
  })
  async cancelReplay(
    @Arg('input', () => CancelReplayInput) { id }: CancelReplayInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CancelReplayPayload> {
    const { replay } = await operations.write('replays.cancel', { replayId: id }, info);
    return { replay: stored(replay)! };
  }
}
