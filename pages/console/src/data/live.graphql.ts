// Generated from live.graphql by `npm run record`.

import type { Document } from './graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Status of an action on contacts. */
export type ContactActionStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING';

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

/** Status of an import. */
export type ImportStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING'
  | 'UPLOADING';

/** Status of a replay. */
export type ReplayStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'RUNNING';

export type LiveSubscriptionVariables = Exact<{
  after?: string | number | null | undefined;
}>;


export type LiveSubscription = { events:
    | { __typename: 'ActionEndedEvent', id: string, kind: EventKind, createdAt: string, action: { id: string, status: ContactActionStatus, dryRun: boolean, matched: number, changed: number, failed: number } }
    | { __typename: 'ContactEvent', id: string, kind: EventKind, createdAt: string, contact: { id: string, email: string, name: string } }
    | { __typename: 'DeliveryDeadEvent', id: string, kind: EventKind, createdAt: string, webhook: { id: string }, delivery: { id: string, reason: string } }
    | { __typename: 'ImportEndedEvent', id: string, kind: EventKind, createdAt: string, import: { id: string, status: ImportStatus, created: number, updated: number, failed: number } }
    | { __typename: 'KeyExpiringEvent', id: string, kind: EventKind, createdAt: string, apiKey: { id: string, name: string, expiresAt: string } }
    | { __typename: 'TeamMemberJoinedEvent', id: string, kind: EventKind, createdAt: string, user: { id: string, email: string, name: string } }
    | { __typename: 'WebhookEvent', id: string, kind: EventKind, createdAt: string, webhook: { id: string, description: string | null, disabledReason: string | null } }
   };

export type LatestEventsQueryVariables = Exact<{ [key: string]: never; }>;


export type LatestEventsQuery = { eventLog: { nodes: Array<
      | { id: string, createdAt: string }
      | { id: string, createdAt: string }
      | { id: string, createdAt: string }
      | { id: string, createdAt: string }
      | { id: string, createdAt: string }
      | { id: string, createdAt: string }
      | { id: string, createdAt: string }
    > } | null };

export type ActivitySubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ActivitySubscription = { activity: { more: boolean, deliveries: Array<{ id: string, eventId: string, webhookId: string, status: DeliveryStatus }>, webhooks: Array<{ id: string }>, imports: Array<{ id: string, status: ImportStatus, total: number, done: number, created: number, updated: number, skipped: number, failed: number }>, replays: Array<{ id: string, webhookId: string, status: ReplayStatus, total: number, done: number }>, contactActions: Array<{ id: string }> } };

export const Live = 'subscription Live($after:ID){events(after:$after){__typename id kind createdAt ...on ContactEvent{contact{id email name}}...on TeamMemberJoinedEvent{user{id email name}}...on ImportEndedEvent{import{id status created updated failed}}...on ActionEndedEvent{action{id status dryRun matched changed failed}}...on WebhookEvent{webhook{id description disabledReason}}...on DeliveryDeadEvent{webhook{id}delivery{id reason}}...on KeyExpiringEvent{apiKey{id name expiresAt}}}}' as Document<LiveSubscription, LiveSubscriptionVariables>;

export const LatestEvents = 'query LatestEvents{eventLog(first:20 order:DESC){nodes{id createdAt}}}' as Document<LatestEventsQuery, LatestEventsQueryVariables>;

export const Activity = 'subscription Activity{activity{deliveries{id eventId webhookId status}webhooks{id}imports{id status total done created updated skipped failed}replays{id webhookId status total done}contactActions{id}more}}' as Document<ActivitySubscription, ActivitySubscriptionVariables>;

