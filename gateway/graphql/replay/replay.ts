import type { EventKind, Operations, OutputOf } from '@roster/contracts';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { Ask } from '../ask.js';
import { DeliveryStatus, type DeliveryShape } from '../delivery/delivery.js';
import { EventKindEnum } from '../event/event-kind.js';
import { Node } from '../node/node.js';
import { DateTime } from '../scalars.js';
import type { WebhookShape } from '../webhook/webhook.js';

type Given = OutputOf<Operations['replays.get']>['replay'];

/** A replay that exists: a dry run has no id, and is none. */
export type ReplayShape = Given & { id: string };

/** The states' names in GraphQL, and in the contracts. */
const ReplayStatus = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
} as const satisfies Record<
  Uppercase<Exclude<Given['status'], 'dry_run'>>,
  Exclude<Given['status'], 'dry_run'>
>;
registerEnumType(ReplayStatus, { name: 'ReplayStatus', description: 'How far a replay is.' });

@ObjectType({ implements: Node, description: "A webhook's deliveries of a time, sent once more." })
export class Replay extends Node {
  @Field(() => ID, { description: 'Stays when the webhook is gone.' })
  webhookId!: string;

  // Resolved by itself.
  webhook?: WebhookShape | null;

  @Field(() => DateTime, { description: 'Of events at or after this moment.' })
  since!: string;

  @Field(() => DateTime, { description: 'Of events before this moment.' })
  until!: string;

  @Field(() => DeliveryStatus, {
    nullable: true,
    description: 'Only deliveries in this state.',
  })
  deliveryStatus!: DeliveryShape['status'] | null;

  @Field(() => [EventKindEnum], { nullable: true, description: 'Only deliveries of these kinds.' })
  kinds!: EventKind[] | null;

  @Field(() => Int, { description: 'Deliveries that it covers.' })
  total!: number;

  @Field(() => Int, { description: 'Those of them that are on their way again.' })
  done!: number;

  @Field(() => ReplayStatus)
  status!: Given['status'];

  @Field(() => DateTime)
  createdAt!: string;
}

export async function findReplay(ask: Ask, id: string): Promise<ReplayShape | null> {
  return existing((await ask.find('replays.get', { replayId: id }))?.replay);
}

export const existing = (replay: Given | undefined): ReplayShape | null =>
  replay && replay.id !== null ? { ...replay, id: replay.id } : null;
