import {
  eventKinds,
  operations,
  type CallInputOf,
  type EventKind,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Info,
  Int,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { inputOf } from '../contract/mutations.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { EventKindEnum, ReplayStatus } from './enums.js';
import { Node, NodeType } from './node.js';
import { Webhook, type WebhookShape } from './webhook.js';

type ReplayShape = OutputOf<Operations['replays.get']>['replay'];

@NodeType(
  'A replay of the deliveries of a webhook in a time range.',
  operations['replays.get'].output.shape.replay.omit({ kinds: true, status: true }),
  {
    webhookId: 'Kept when the webhook is deleted.',
    since: 'Only deliveries of events at or after this time.',
    until: 'Only deliveries of events before this time.',
    deliveryStatus: 'Only deliveries with this status.',
  },
)
export class Replay extends Node {
  @Cost({ entriesMax: eventKinds.length })
  @Field(() => [EventKindEnum], {
    nullable: true,
    description: 'Only deliveries of these event kinds.',
  })
  kinds!: EventKind[] | null;

  @Field(() => ReplayStatus)
  status!: ReplayShape['status'];
}

const CreateReplayInput = inputOf('replays.create');

@ObjectType()
class CreateReplayPayload {
  @Field(() => Replay, { nullable: true, description: 'Null for a dry run.' })
  replay!: ReplayShape | null;

  @Field(() => Int, { description: 'Number of deliveries that the replay covers, or would cover.' })
  total!: number;
}

@Resolver(() => Replay)
export class ReplayResolver {
  @Cost({ calls: 'field' })
  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'Null when the webhook was deleted.',
  })
  async webhook(
    @Root() { webhookId }: ReplayShape,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<WebhookShape | null> {
    return (await calls.find('webhooks.find', { webhookId }))?.webhook ?? null;
  }

  @Mutation(() => CreateReplayPayload, {
    description: 'Replays deliveries of a webhook in a time range.',
  })
  async createReplay(
    @Arg('input', () => CreateReplayInput) input: CallInputOf<Operations['replays.create']>,
    @Ctx() { operations: calls }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateReplayPayload> {
    const { replay } = await calls.write('replays.create', input, info);
    // A dry run is not stored and has no ID.
    return { replay: replay.id === null ? null : replay, total: replay.total };
  }
}
