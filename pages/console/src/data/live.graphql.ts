// Generated from live.graphql by `npm run record`.

import type { Document } from './graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Kinds of events that a webhook can subscribe to. */
export type EventKind =
  | 'CONTACT_CREATED'
  | 'CONTACT_DELETED'
  | 'CONTACT_RESUBSCRIBED'
  | 'CONTACT_UNSUBSCRIBED'
  | 'CONTACT_UPDATED'
  | 'IMPORT_ENDED'
  | 'WORKSPACE_TEAM_MEMBER_JOINED';

/** Status of an import. */
export type ImportStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING'
  | 'UPLOADING';

export type LiveSubscriptionVariables = Exact<{
  after?: string | number | null | undefined;
}>;


export type LiveSubscription = { events:
    | { __typename: 'ContactEvent', id: string, kind: EventKind, createdAt: string, contact: { id: string, email: string, name: string } }
    | { __typename: 'ImportEndedEvent', id: string, kind: EventKind, createdAt: string, import: { id: string, status: ImportStatus, created: number, updated: number, failed: number } }
    | { __typename: 'TeamMemberJoinedEvent', id: string, kind: EventKind, createdAt: string, user: { id: string, email: string, name: string } }
   };

export type LatestEventQueryVariables = Exact<{ [key: string]: never; }>;


export type LatestEventQuery = { eventLog: { nodes: Array<
      | { id: string }
      | { id: string }
      | { id: string }
    > } | null };

export const Live = 'subscription Live($after:ID){events(after:$after){__typename id kind createdAt ...on ContactEvent{contact{id email name}}...on TeamMemberJoinedEvent{user{id email name}}...on ImportEndedEvent{import{id status created updated failed}}}}' as Document<LiveSubscription, LiveSubscriptionVariables>;

export const LatestEvent = 'query LatestEvent{eventLog(first:1 order:DESC){nodes{id}}}' as Document<LatestEventQuery, LatestEventQueryVariables>;

