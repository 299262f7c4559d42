// Generated from webhooks.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type CreateWebhookInput = {
  /** At least one kind, without duplicates. */
  events: Array<EventKind>;
  /** Defaults to `COMPACT`. */
  payload?: WebhookPayloadFormat | null | undefined;
  /** 8 to 256 visible ASCII characters. Defaults to a generated token. */
  token?: string | null | undefined;
  /** At most 2,048 characters, without credentials or fragment. */
  url: string;
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
  | 'CONTACT_CREATED'
  | 'CONTACT_DELETED'
  | 'CONTACT_RESUBSCRIBED'
  | 'CONTACT_UNSUBSCRIBED'
  | 'CONTACT_UPDATED'
  | 'IMPORT_ENDED'
  | 'WORKSPACE_TEAM_MEMBER_JOINED';

/** Fields of `data` in deliveries. */
export type WebhookPayloadFormat =
  /** `id`, `email`, `name` and `createdAt` of a contact. */
  | 'COMPACT'
  /** Also its `tags`, `properties` and `status`, and what changed. */
  | 'FULL';

/** Status of a webhook. */
export type WebhookStatus =
  | 'ACTIVE'
  /** No deliveries are sent until the webhook is enabled. */
  | 'DISABLED'
  /** Every attempt since the last success failed. */
  | 'FAILING';

export type WebhooksQueryVariables = Exact<{
  first: number;
  after?: string | number | null | undefined;
}>;


export type WebhooksQuery = { webhooks: Array<{ id: string, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string }> | null };

export type WebhookHealthQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookHealthQuery = { webhook: { stats: { hours: Array<{ hour: string, successes: number, failures: number, p95Ms: number | null }> } | null } | null };

export type NextAttemptQueryVariables = Exact<{
  id: string | number;
}>;


export type NextAttemptQuery = { webhook: { deliveries: { nodes: Array<{ nextAttemptAt: string | null }> } | null } | null };

export type WebhookRowFragment = { id: string, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { webhook: { signingSecret: string | null, id: string, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } } };

export type EnableWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type EnableWebhookMutation = { enableWebhook: { webhook: { id: string, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } } };

export type TestWebhookMutationVariables = Exact<{
  id: string | number;
  kind: EventKind;
}>;


export type TestWebhookMutation = { testWebhook: { delivery: { id: string } } };

export type TestResultQueryVariables = Exact<{
  id: string | number;
}>;


export type TestResultQuery = { delivery: { id: string, status: DeliveryStatus, attempts: Array<{ statusCode: number | null, error: string | null, totalMs: number, responseBody: string }> | null } | null };

export const Webhooks = 'query Webhooks($first:Int!$after:ID){webhooks(first:$first after:$after){...WebhookRow}}fragment WebhookRow on Webhook{id url events payload status disabledReason lastSuccessAt lastFailureAt createdAt}' as Document<WebhooksQuery, WebhooksQueryVariables>;

export const WebhookHealth = 'query WebhookHealth($id:ID!){webhook(id:$id){stats{hours{hour successes failures p95Ms}}}}' as Document<WebhookHealthQuery, WebhookHealthQueryVariables>;

export const NextAttempt = 'query NextAttempt($id:ID!){webhook(id:$id){deliveries(first:20 status:PENDING){nodes{nextAttemptAt}}}}' as Document<NextAttemptQuery, NextAttemptQueryVariables>;

export const CreateWebhook = 'fragment WebhookRow on Webhook{id url events payload status disabledReason lastSuccessAt lastFailureAt createdAt}mutation CreateWebhook($input:CreateWebhookInput!){createWebhook(input:$input){webhook{...WebhookRow signingSecret}}}' as Document<CreateWebhookMutation, CreateWebhookMutationVariables>;

export const EnableWebhook = 'fragment WebhookRow on Webhook{id url events payload status disabledReason lastSuccessAt lastFailureAt createdAt}mutation EnableWebhook($id:ID!){enableWebhook(input:{id:$id}){webhook{...WebhookRow}}}' as Document<EnableWebhookMutation, EnableWebhookMutationVariables>;

export const TestWebhook = 'mutation TestWebhook($id:ID!$kind:EventKind!){testWebhook(input:{id:$id kind:$kind}){delivery{id}}}' as Document<TestWebhookMutation, TestWebhookMutationVariables>;

export const TestResult = 'query TestResult($id:ID!){delivery(id:$id){id status attempts(last:1){statusCode error totalMs responseBody}}}' as Document<TestResultQuery, TestResultQueryVariables>;

