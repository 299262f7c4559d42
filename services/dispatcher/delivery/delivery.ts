import { hash } from 'node:crypto';
import type { EventTrace } from '@roster/bus';
import {
  eventIdStart,
  changedFields,
  eventDetails,
  type deliveryStatuses,
  type EventKind,
  type EventDetails,
} from '@roster/contracts';
import type { Trigger, Attempt } from '../attempt/attempt.js';

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
  /** What caused the event, if it was traced. */
  trace?: EventTrace | undefined;
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

/** What is recorded of a delivery. */
export interface Outcome {
  delivery: Delivery;
  /** Undefined if nothing was sent: the delivery was skipped or postponed. */
  attempt?: Attempt;
  status: DeliveryStatus;
  /** Why it is dead or skipped, or why it waits, unless it waits for its schedule. */
  reason?: string;
  /** Delay until it is due, for `pending`. `Infinity` parks a claimed delivery until its webhook is enabled. */
  dueInSeconds?: number;
}

/** The body of an event of a contact. */
interface ContactBody {
  data: { contact: object };
}

/**
 * The body of an event for webhooks with `payload: "full"`. Undefined if the event has no details: it does not concern a contact.
 */
export function fullBody(body: string, details: string | undefined): string | undefined {
  if (details === undefined) return undefined;
  try {
    const parsed = eventDetails.parse(JSON.parse(details));
    return JSON.stringify(withDetails(JSON.parse(body) as ContactBody, parsed));
  } catch {
    // A service with stolen credentials can publish anything.
    return undefined;
  }
}

export function withDetails(
  { data, ...event }: ContactBody,
  { contact, previous, changed = previous && changedFields(previous), omitted }: EventDetails,
): object {
  return {
    ...event,
    data: { ...data, contact: { ...data.contact, ...contact }, changed, previous, omitted },
  };
}

/** The smallest ID of an event at this moment: IDs begin with their time. */
export function momentId(moment: string | number): string {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-0000-0000-000000000000`;
}

/** Smaller and greater than every ID. */
export const startOfIds = '00000000-0000-0000-0000-000000000000';
export const endOfIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
