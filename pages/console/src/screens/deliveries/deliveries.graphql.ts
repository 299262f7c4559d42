// Generated from deliveries.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** What triggered an attempt. */
export type AttemptTrigger =
  | 'EVENT'
  /** Requested with `retryDelivery`. */
  | 'MANUAL'
  | 'REPLAY'
  /** A previous attempt failed. */
  | 'RETRY'
  | 'TEST';

/** Deliveries that match all given fields. Fields that are null do not restrict them. */
export type DeliveryFilter = {
  /** Only deliveries of events about this contact. */
  contactId?: string | number | null | undefined;
  /** Only deliveries of events of these kinds. */
  kind?: Array<EventKind> | null | undefined;
  /** Only deliveries of events at or after this time. */
  since?: string | null | undefined;
  /** Only deliveries with one of these statuses. */
  status?: Array<DeliveryStatus> | null | undefined;
  /** Only deliveries whose last attempt was answered with this HTTP status, such as `404`, or one of its class, such as `4xx`. `none`: without a response. */
  statusCode?: string | null | undefined;
  /** Only deliveries of events before this time. */
  until?: string | null | undefined;
  /** Only deliveries to this webhook, also if it was deleted. */
  webhookId?: string | number | null | undefined;
};

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

/** Status of a webhook. */
export type WebhookStatus =
  | 'ACTIVE'
  /** No deliveries are sent until the webhook is enabled. */
  | 'DISABLED'
  /** Every attempt since the last success failed. */
  | 'FAILING';

export type DeliveriesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: DeliveryFilter | null | undefined;
}>;


export type DeliveriesQuery = { deliveries: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, kind: EventKind, status: DeliveryStatus, reason: string | null, attemptCount: number, nextAttemptAt: string | null, createdAt: string, lastStatusCode: number | null, lastError: string | null, lastTotalMs: number | null, webhookId: string, subject: { contactId: string, email: string } | null }> } | null };

export type DeliveryTotalsQueryVariables = Exact<{
  filter?: DeliveryFilter | null | undefined;
}>;


export type DeliveryTotalsQuery = { deliveries: { totals: { pending: number, delivered: number, dead: number, skipped: number, isEstimate: boolean } | null } | null };

export type DeliveryRowsQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type DeliveryRowsQuery = { nodes: Array<
    | { id: string, kind: EventKind, status: DeliveryStatus, reason: string | null, attemptCount: number, nextAttemptAt: string | null, createdAt: string, lastStatusCode: number | null, lastError: string | null, lastTotalMs: number | null, webhookId: string, subject: { contactId: string, email: string } | null }
    | Record<PropertyKey, never>
   | null> };

export type DeliveryRowFragment = { id: string, kind: EventKind, status: DeliveryStatus, reason: string | null, attemptCount: number, nextAttemptAt: string | null, createdAt: string, lastStatusCode: number | null, lastError: string | null, lastTotalMs: number | null, webhookId: string, subject: { contactId: string, email: string } | null };

export type DeliveryQueryVariables = Exact<{
  id: string | number;
}>;


export type DeliveryQuery = { delivery: { eventId: string, completedAt: string | null, payload: Record<string, unknown> | null, id: string, kind: EventKind, status: DeliveryStatus, reason: string | null, attemptCount: number, nextAttemptAt: string | null, createdAt: string, lastStatusCode: number | null, lastError: string | null, lastTotalMs: number | null, webhookId: string, webhook: { id: string, url: string, status: WebhookStatus } | null, attempts: Array<{ number: number, trigger: AttemptTrigger, startedAt: string, statusCode: number | null, error: string | null, errorClass: string | null, address: string | null, dnsMs: number | null, connectMs: number | null, tlsMs: number | null, firstByteMs: number | null, totalMs: number, responseHeaders: Record<string, unknown>, responseBody: string }> | null, subject: { contactId: string, email: string } | null } | null };

export type RetryDeliveryMutationVariables = Exact<{
  id: string | number;
}>;


export type RetryDeliveryMutation = { retryDelivery: { delivery: { id: string, kind: EventKind, status: DeliveryStatus, reason: string | null, attemptCount: number, nextAttemptAt: string | null, createdAt: string, lastStatusCode: number | null, lastError: string | null, lastTotalMs: number | null, webhookId: string, subject: { contactId: string, email: string } | null } } };

export type WebhookNamesQueryVariables = Exact<{
  after?: string | number | null | undefined;
}>;


export type WebhookNamesQuery = { webhooks: Array<{ id: string, url: string }> | null };

export const Deliveries = 'query Deliveries($first:Int!$after:String$filter:DeliveryFilter){deliveries(first:$first after:$after filter:$filter){pageInfo{endCursor hasNextPage}nodes{...DeliveryRow}}}fragment DeliveryRow on Delivery{id kind status reason attemptCount nextAttemptAt createdAt lastStatusCode lastError lastTotalMs subject{contactId email}webhookId}' as Document<DeliveriesQuery, DeliveriesQueryVariables>;

export const DeliveryTotals = 'query DeliveryTotals($filter:DeliveryFilter){deliveries(first:1 filter:$filter){totals{pending delivered dead skipped isEstimate}}}' as Document<DeliveryTotalsQuery, DeliveryTotalsQueryVariables>;

export const DeliveryRows = 'query DeliveryRows($ids:[ID!]!){nodes(ids:$ids){...on Delivery{...DeliveryRow}}}fragment DeliveryRow on Delivery{id kind status reason attemptCount nextAttemptAt createdAt lastStatusCode lastError lastTotalMs subject{contactId email}webhookId}' as Document<DeliveryRowsQuery, DeliveryRowsQueryVariables>;

export const Delivery = 'fragment DeliveryRow on Delivery{id kind status reason attemptCount nextAttemptAt createdAt lastStatusCode lastError lastTotalMs subject{contactId email}webhookId}query Delivery($id:ID!){delivery(id:$id){...DeliveryRow eventId completedAt payload webhook{id url status}attempts(last:20){number trigger startedAt statusCode error errorClass address dnsMs connectMs tlsMs firstByteMs totalMs responseHeaders responseBody}}}' as Document<DeliveryQuery, DeliveryQueryVariables>;

export const RetryDelivery = 'fragment DeliveryRow on Delivery{id kind status reason attemptCount nextAttemptAt createdAt lastStatusCode lastError lastTotalMs subject{contactId email}webhookId}mutation RetryDelivery($id:ID!){retryDelivery(input:{id:$id}){delivery{...DeliveryRow}}}' as Document<RetryDeliveryMutation, RetryDeliveryMutationVariables>;

export const WebhookNames = 'query WebhookNames($after:ID){webhooks(first:100 after:$after){id url}}' as Document<WebhookNamesQuery, WebhookNamesQueryVariables>;

