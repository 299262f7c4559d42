import { eventKinds, type EventKind, type Operations, type OutputOf } from '@roster/contracts';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { RequestOperations } from '../../request/request-operations.js';
import { DeliveryStatus, type DeliveryShape } from '../delivery/delivery.js';
import { EventKindEnum } from '../event/event-kind.js';
import { Cost } from '../../document/field-cost.js';
import { Node } from '../node/node.js';
import { DateTime } from '../../scalars.js';
import type { WebhookShape } from '../webhook/webhook.js';

type ReplayResult = OutputOf<Operations['replays.get']>['replay'];

/** A stored replay. The result of a dry run has no ID. */
export type ReplayShape = ReplayResult & { id: string };

/** Status names in GraphQL and in the contracts. */
const ReplayStatus = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
} as const satisfies Record<
  Uppercase<Exclude<ReplayResult['status'], 'dry_run'>>,
  Exclude<ReplayResult['status'], 'dry_run'>
>;
registerEnumType(ReplayStatus, { name: 'ReplayStatus', description: 'Status of a replay.' });

@ObjectType({
  implements: Node,
  description: 'A replay of the deliveries of a webhook in a time range.',
})
export class Replay extends Node {
  @Field(() => ID, { description: 'Kept when the webhook is deleted.' })
  webhookId!: string;

  // Has its own resolver.
  webhook?: WebhookShape | null;

  @Field(() => DateTime, { description: 'Only deliveries of events at or after this time.' })
  since!: string;

  @Field(() => DateTime, { description: 'Only deliveries of events before this time.' })
  until!: string;

  @Field(() => DeliveryStatus, {
    nullable: true,
    description: 'Only deliveries with this status.',
  })
  deliveryStatus!: DeliveryShape['status'] | null;

  @Cost({ entriesMax: eventKinds.length })
  @Field(() => [EventKindEnum], {
    nullable: true,
    description: 'Only deliveries of these event kinds.',
  })
  kinds!: EventKind[] | null;

  @Field(() => Int, { description: 'Number of deliveries that the replay covers.' })
  total!: number;

  @Field(() => Int, { description: 'Number of deliveries queued so far.' })
  done!: number;

  @Field(() => ReplayStatus)
  status!: ReplayResult['status'];

  @Field(() => DateTime)
  createdAt!: string;
}

export async function findReplay(
  operations: RequestOperations,
  id: string,
): Promise<ReplayShape | null> {
  return stored((await operations.find('replays.get', { replayId: id }))?.replay);
}

export const stored = (replay: ReplayResult | undefined): ReplayShape | null =>
  replay && replay.id !== null ? { ...replay, id: replay.id } : null;
