import { hash } from 'node:crypto';
import type { deliveryStatuses, EventKind } from '@roster/contracts';
import type { Trigger } from '../attempt/attempt.js';

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One event to one webhook. Raw ids. */
export interface Delivery {
  workspaceId: string;
  /** Made from event and webhook: the same on every try, in every process. */
  id: string;
  eventId: string;
  webhookId: string;
  kind: EventKind;
  /** The bytes that are stored, signed and sent. */
  body: string;
  /** Attempts made so far. */
  attempts: number;
  trigger: Trigger;
  /** Of a delivery that was claimed from the queue: only its holder may record the outcome. */
  lease?: string;
}

/**
 * The delivery's id: the event's time and counter, and 62 bits of a digest of event and webhook, in the form of a version 7
 * UUID. Deliveries are so in the order of their events, and land in the partition of the event's day.
 */
export function deliveryId(eventId: string, webhookId: string): string {
  const digest = hash('sha256', `${eventId} ${webhookId}`);
  const variant = ((Number.parseInt(digest[0]!, 16) & 3) | 8).toString(16);
  return `${eventId.slice(0, 18)}-${variant}${digest.slice(1, 4)}-${digest.slice(4, 16)}`;
}
