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
import type { GraphqlContext } from '../context.js';
import { DeliveryStatus, type DeliveryShape } from '../delivery/delivery.js';
import { EventKindEnum } from '../event/event-kind.js';
import { DateTime } from '../scalars.js';
import { Webhook, type WebhookShape } from '../webhook/webhook.js';
import { existing, findReplay, Replay, type ReplayShape } from './replay.js';

@InputType()
class CreateReplayInput implements CallInputOf<Operations['replays.create']> {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => DateTime, { description: 'Of events at or after this moment.' })
  since!: string;

  @Field(() => DateTime, { nullable: true, description: 'Of events before it; now, when absent.' })
  until?: string;

  @Field(() => DeliveryStatus, { nullable: true, description: 'Only deliveries in this state.' })
  status?: DeliveryShape['status'];

  @Field(() => [EventKindEnum], { nullable: true, description: 'Only deliveries of these kinds.' })
  kinds?: EventKind[];

  @Field(() => Boolean, { nullable: true, description: 'Only counts.' })
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

  @Field(() => Int, { description: 'Deliveries that it covers, or would.' })
  total!: number;
}

@ObjectType()
class CancelReplayPayload {
  @Field(() => Replay)
  replay!: ReplayShape;
}

@Resolver(() => Replay)
export class ReplayResolver {
  @Query(() => Replay, { nullable: true, description: 'A replay; null when there is no such.' })
  replay(
    @Arg('id', () => ID) id: string,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<ReplayShape | null> {
    return findReplay(ask, id);
  }

  @FieldResolver(() => Webhook, { nullable: true, description: 'Null when it is gone.' })
  async webhook(
    @Root() { webhookId }: ReplayShape,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await ask.find('webhooks.get', { webhookId }))?.webhook ?? null;
  }

  @Mutation(() => CreateReplayPayload, {
    description: "Sends a webhook's deliveries of a time once more.",
  })
  async createReplay(
    @Arg('input', () => CreateReplayInput) input: CreateReplayInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateReplayPayload> {
    const { replay } = await ask.write('replays.create', input, info);
    return { replay: existing(replay), total: replay.total };
  }

  @Mutation(() => CancelReplayPayload, {
    description: 'Stops a replay; what is on its way again stays so.',
  })
  async cancelReplay(
    @Arg('input', () => CancelReplayInput) { id }: CancelReplayInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CancelReplayPayload> {
    const { replay } = await ask.write('replays.cancel', { replayId: id }, info);
    return { replay: existing(replay)! };
  }
}
