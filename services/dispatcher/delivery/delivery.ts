import { hash } from 'node:crypto';
import { eventIdStart, type deliveryStatuses, type EventKind } from '@roster/contracts';
import type { Trigger } from '../attempt/attempt.js';

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event to one webhook. Raw IDs. */
export interface Delivery {
  workspaceId: string;
  /** Derived from event and webhook: the same for every attempt, in every process. */
  id: string;
  eventId: string;
  webhookId: string;
  kind: EventKind;
  /** Body of the event. */
  body: string;
  /** Body of this delivery, if it has another one than the event. */
  ownBody?: string;
  /** Attempts made so far. */
  attempts: number;
  trigger: Trigger;
  /** When it was made, in milliseconds since the epoch. Set if it is fresh: its row is not written yet. */
  createdAtMs?: number;
  /** Set if the delivery was claimed from the queue. Only the holder of the lease may record the outcome. */
  lease?: string;
}

/** The bytes that are stored, signed and sent, at every attempt. */
export const bodyOf = ({ ownBody, body }: Delivery): string => ownBody ?? body;

/**
 * The ID of a delivery, a UUIDv7: time and counter of the event, and 62 bits of a digest of event and webhook. Deliveries are
 * therefore in the order of their events, and in the partition of the event's day.
 */
export function deliveryId(eventId: string, webhookId: string): string {
  const digest = hash('sha256', `${eventId} ${webhookId}`);
  const variant = ((Number.parseInt(digest[0]!, 16) & 3) | 8).toString(16);
  return `${eventIdStart(eventId)}-${variant}${digest.slice(1, 4)}-${digest.slice(4, 16)}`;
}
