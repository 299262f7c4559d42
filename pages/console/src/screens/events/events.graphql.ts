// Generated from events.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Status of an action on contacts. */
export type ContactActionStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING';

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

export type EventLogQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  kinds?: Array<EventKind> | EventKind | null | undefined;
  contactId?: string | number | null | undefined;
}>;


export type EventLogQuery = { eventLog: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<
      | { __typename: 'ActionEndedEvent', id: string, kind: EventKind, createdAt: string, action: { id: string, status: ContactActionStatus, dryRun: boolean, matched: number, changed: number, failed: number } }
      | { __typename: 'ContactEvent', id: string, kind: EventKind, createdAt: string, contact: { id: string, email: string, name: string } }
      | { __typename: 'DeliveryDeadEvent', id: string, kind: EventKind, createdAt: string, webhook: { id: string }, delivery: { id: string, reason: string } }
      | { __typename: 'ImportEndedEvent', id: string, kind: EventKind, createdAt: string, import: { id: string, status: ImportStatus, created: number, updated: number, failed: number } }
      | { __typename: 'KeyExpiringEvent', id: string, kind: EventKind, createdAt: string, apiKey: { id: string, name: string, expiresAt: string } }
      | { __typename: 'TeamMemberJoinedEvent', id: string, kind: EventKind, createdAt: string, user: { id: string, email: string, name: string } }
      | { __typename: 'WebhookEvent', id: string, kind: EventKind, createdAt: string, webhook: { id: string, description: string | null, disabledReason: string | null } }
    > } | null };

export const EventLog = 'query EventLog($first:Int!$after:String$kinds:[EventKind!]$contactId:ID){eventLog(first:$first after:$after kinds:$kinds contactId:$contactId order:DESC){pageInfo{endCursor hasNextPage}nodes{__typename id kind createdAt ...on ContactEvent{contact{id email name}}...on TeamMemberJoinedEvent{user{id email name}}...on ImportEndedEvent{import{id status created updated failed}}...on ActionEndedEvent{action{id status dryRun matched changed failed}}...on WebhookEvent{webhook{id description disabledReason}}...on DeliveryDeadEvent{webhook{id}delivery{id reason}}...on KeyExpiringEvent{apiKey{id name expiresAt}}}}}' as Document<EventLogQuery, EventLogQueryVariables>;

