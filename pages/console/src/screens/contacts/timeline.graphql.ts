// Generated from timeline.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Status of a delivery. */
export type DeliveryStatus =
  /** No further attempts are scheduled. It is sent again only when retried or replayed. */
  | 'DEAD'
  | 'DELIVERED'
  /** Waiting for the next attempt. */
  | 'PENDING'
  /** Not sent because the webhook was disabled or deleted. */
  | 'SKIPPED';

/** Kinds of events that a webhook can subscribe to. */
export type EventKind =
  | 'ACTION_ENDED'
  /** All kinds, also those that later releases add: in `events` of a webhook, which then has no other. */
  | 'ALL'
  | 'CONTACT_CREATED'
  | 'CONTACT_DELETED'
  | 'CONTACT_RESUBSCRIBED'
  | 'CONTACT_UNSUBSCRIBED'
  | 'CONTACT_UPDATED'
  | 'DELIVERY_DEAD'
  | 'IMPORT_ENDED'
  | 'KEY_EXPIRING'
  | 'WEBHOOK_DISABLED'
  | 'WEBHOOK_FAILING'
  | 'WORKSPACE_TEAM_MEMBER_JOINED';

export type TimelineQueryVariables = Exact<{
  contactId: string | number;
  after?: string | null | undefined;
}>;


export type TimelineQuery = { eventLog: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
      | { id: string, kind: EventKind, createdAt: string, deliveries: Array<{ id: string, status: DeliveryStatus, webhookId: string }> | null }
    > } | null };

export const Timeline = 'query Timeline($contactId:ID!$after:String){eventLog(first:10 after:$after order:DESC contactId:$contactId){pageInfo{endCursor hasNextPage}nodes{id kind createdAt deliveries(first:10){id status webhookId}}}}' as Document<TimelineQuery, TimelineQueryVariables>;

