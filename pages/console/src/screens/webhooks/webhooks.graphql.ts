// Generated from webhooks.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type CreateReplayInput = {
  /** Count the matching deliveries without sending them. */
  dryRun?: boolean | null | undefined;
  /** Only deliveries of these event kinds. */
  kinds?: Array<EventKind> | null | undefined;
  /** Only deliveries of events at or after this time. */
  since: string;
  /** Only deliveries with this status. */
  status?: DeliveryStatus | null | undefined;
  /** Only deliveries of events before this time. Defaults to the current time. */
  until?: string | null | undefined;
  webhookId: string | number;
};

export type CreateWebhookInput = {
  /** What the webhook is for, in the words of its owner. */
  description?: string | null | undefined;
  /** At least one kind, without duplicates, or only `ALL`. */
  events: Array<EventKind>;
  /** Only events of contacts that match all of it. Events without a contact do not match. Null, the default, is all events. */
  filter?: Record<string, unknown> | null | undefined;
  /** Further headers of its deliveries by name, such as `Authorization`. At most 10, with at most 4,096 characters together. Stored encrypted; only their names are returned. */
  headers?: Record<string, unknown> | null | undefined;
  /** Defaults to `COMPACT`. */
  payload?: WebhookPayloadFormat | null | undefined;
  /** Maximum number of attempts per second, of all kinds of deliveries together. Null, the default, is no maximum of its own. Further deliveries wait. */
  ratePerSecond?: number | null | undefined;
  /** 8 to 256 visible ASCII characters. Defaults to a generated token. */
  token?: string | null | undefined;
  /** Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the event was traced. False by default. */
  traceContext?: boolean | null | undefined;
  /** At most 2,048 characters, without credentials or fragment. */
  url: string;
};

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

/** Status of a replay. */
export type ReplayStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'RUNNING';

export type RotateWebhookTokenInput = {
  id: string | number;
  /** How long deliveries are also signed with the previous token. At most 604,800; defaults to 86,400. */
  overlapSeconds?: number | null | undefined;
  /** 8 to 256 visible ASCII characters. Defaults to a generated token. */
  token?: string | null | undefined;
};

/** Omitted fields are left unchanged. */
export type UpdateWebhookInput = {
  /** What the webhook is for, in the words of its owner. */
  description?: string | null | undefined;
  events?: Array<EventKind> | null | undefined;
  /** Only events of contacts that match all of it. Events without a contact do not match. Null, the default, is all events. */
  filter?: Record<string, unknown> | null | undefined;
  /** Headers to set, or to remove with null. The others stay. Applies to pending deliveries too. */
  headers?: Record<string, unknown> | null | undefined;
  id: string | number;
  payload?: WebhookPayloadFormat | null | undefined;
  /** Maximum number of attempts per second, of all kinds of deliveries together. Null, the default, is no maximum of its own. Further deliveries wait. */
  ratePerSecond?: number | null | undefined;
  /** Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the event was traced. False by default. */
  traceContext?: boolean | null | undefined;
  url?: string | null | undefined;
};

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


export type WebhooksQuery = { webhooks: Array<{ id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string }> | null };

export type WebhookHealthQueryVariables = Exact<{
  ids?: Array<string | number> | string | number | null | undefined;
  since?: string | null | undefined;
}>;


export type WebhookHealthQuery = { webhookHealth: Array<{ webhookId: string, attempts: number, succeeded: number, failed: number, p95Ms: number | null, hours: Array<Record<string, unknown>> }> | null };

export type NextAttemptQueryVariables = Exact<{
  id: string | number;
}>;


export type NextAttemptQuery = { webhook: { deliveries: { nodes: Array<{ nextAttemptAt: string | null }> } | null } | null };

export type WebhookRowFragment = { id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { webhook: { signingSecret: string | null, id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } } };

export type EnableWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type EnableWebhookMutation = { enableWebhook: { webhook: { id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } } };

export type TestWebhookMutationVariables = Exact<{
  id: string | number;
  kind: EventKind;
}>;


export type TestWebhookMutation = { testWebhook: { delivery: { id: string } } };

export type TestResultQueryVariables = Exact<{
  id: string | number;
}>;


export type TestResultQuery = { delivery: { id: string, status: DeliveryStatus, attempts: Array<{ statusCode: number | null, error: string | null, totalMs: number, responseBody: string }> | null } | null };

export type WebhookQueryVariables = Exact<{
  id: string | number;
}>;


export type WebhookQuery = { webhook: { id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } | null };

export type UpdateWebhookMutationVariables = Exact<{
  input: UpdateWebhookInput;
}>;


export type UpdateWebhookMutation = { updateWebhook: { webhook: { id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } } };

export type DisableWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type DisableWebhookMutation = { disableWebhook: { webhook: { id: string, description: string | null, url: string, events: Array<EventKind>, payload: WebhookPayloadFormat, headerNames: Array<string> | null, ratePerSecond: number | null, filter: Record<string, unknown> | null, traceContext: boolean | null, status: WebhookStatus, disabledReason: string | null, lastSuccessAt: string | null, lastFailureAt: string | null, createdAt: string } } };

export type RotateWebhookTokenMutationVariables = Exact<{
  input: RotateWebhookTokenInput;
}>;


export type RotateWebhookTokenMutation = { rotateWebhookToken: { webhook: { id: string, signingSecret: string | null } } };

export type DeleteWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteWebhookMutation = { deleteWebhook: { deletedId: string } };

export type CreateReplayMutationVariables = Exact<{
  input: CreateReplayInput;
}>;


export type CreateReplayMutation = { createReplay: { total: number, replay: { id: string, status: ReplayStatus, done: number, total: number } | null } };

export type CancelReplayMutationVariables = Exact<{
  id: string | number;
}>;


export type CancelReplayMutation = { cancelReplay: { replay: { id: string, status: ReplayStatus, done: number, total: number } } };

export type ReplayQueryVariables = Exact<{
  id: string | number;
}>;


export type ReplayQuery = { replay: { id: string, status: ReplayStatus, done: number, total: number } | null };

export type ReplaysQueryVariables = Exact<{
  webhookId: string | number;
  after?: string | null | undefined;
}>;


export type ReplaysQuery = { replays: { nodes: Array<{ since: string, until: string, deliveryStatus: DeliveryStatus | null, kinds: Array<EventKind> | null, createdAt: string, id: string, status: ReplayStatus, done: number, total: number }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } | null };

export type ReplayStateFragment = { id: string, status: ReplayStatus, done: number, total: number };

export type SigningSecretQueryVariables = Exact<{
  id: string | number;
}>;


export type SigningSecretQuery = { webhook: { signingSecret: string | null } | null };

export type ExampleQueryVariables = Exact<{
  filter?: DeliveryFilter | null | undefined;
}>;


export type ExampleQuery = { deliveries: { nodes: Array<{ id: string, payload: Record<string, unknown> | null }> } | null };

export const Webhooks = 'query Webhooks($first:Int!$after:ID){webhooks(first:$first after:$after){...WebhookRow}}fragment WebhookRow on Webhook{id description url events payload headerNames ratePerSecond filter traceContext status disabledReason lastSuccessAt lastFailureAt createdAt}' as Document<WebhooksQuery, WebhooksQueryVariables>;

export const WebhookHealth = 'query WebhookHealth($ids:[ID!]$since:DateTime){webhookHealth(webhookIds:$ids since:$since){webhookId attempts succeeded failed p95Ms hours}}' as Document<WebhookHealthQuery, WebhookHealthQueryVariables>;

export const NextAttempt = 'query NextAttempt($id:ID!){webhook(id:$id){deliveries(first:20 status:PENDING){nodes{nextAttemptAt}}}}' as Document<NextAttemptQuery, NextAttemptQueryVariables>;

export const CreateWebhook = 'fragment WebhookRow on Webhook{id description url events payload headerNames ratePerSecond filter traceContext status disabledReason lastSuccessAt lastFailureAt createdAt}mutation CreateWebhook($input:CreateWebhookInput!){createWebhook(input:$input){webhook{...WebhookRow signingSecret}}}' as Document<CreateWebhookMutation, CreateWebhookMutationVariables>;

export const EnableWebhook = 'fragment WebhookRow on Webhook{id description url events payload headerNames ratePerSecond filter traceContext status disabledReason lastSuccessAt lastFailureAt createdAt}mutation EnableWebhook($id:ID!){enableWebhook(input:{id:$id}){webhook{...WebhookRow}}}' as Document<EnableWebhookMutation, EnableWebhookMutationVariables>;

export const TestWebhook = 'mutation TestWebhook($id:ID!$kind:EventKind!){testWebhook(input:{id:$id kind:$kind}){delivery{id}}}' as Document<TestWebhookMutation, TestWebhookMutationVariables>;

export const TestResult = 'query TestResult($id:ID!){delivery(id:$id){id status attempts(last:1){statusCode error totalMs responseBody}}}' as Document<TestResultQuery, TestResultQueryVariables>;

export const Webhook = 'fragment WebhookRow on Webhook{id description url events payload headerNames ratePerSecond filter traceContext status disabledReason lastSuccessAt lastFailureAt createdAt}query Webhook($id:ID!){webhook(id:$id){...WebhookRow}}' as Document<WebhookQuery, WebhookQueryVariables>;

export const UpdateWebhook = 'fragment WebhookRow on Webhook{id description url events payload headerNames ratePerSecond filter traceContext status disabledReason lastSuccessAt lastFailureAt createdAt}mutation UpdateWebhook($input:UpdateWebhookInput!){updateWebhook(input:$input){webhook{...WebhookRow}}}' as Document<UpdateWebhookMutation, UpdateWebhookMutationVariables>;

export const DisableWebhook = 'fragment WebhookRow on Webhook{id description url events payload headerNames ratePerSecond filter traceContext status disabledReason lastSuccessAt lastFailureAt createdAt}mutation DisableWebhook($id:ID!){disableWebhook(input:{id:$id}){webhook{...WebhookRow}}}' as Document<DisableWebhookMutation, DisableWebhookMutationVariables>;

export const RotateWebhookToken = 'mutation RotateWebhookToken($input:RotateWebhookTokenInput!){rotateWebhookToken(input:$input){webhook{id signingSecret}}}' as Document<RotateWebhookTokenMutation, RotateWebhookTokenMutationVariables>;

export const DeleteWebhook = 'mutation DeleteWebhook($id:ID!){deleteWebhook(input:{id:$id}){deletedId}}' as Document<DeleteWebhookMutation, DeleteWebhookMutationVariables>;

export const CreateReplay = 'mutation CreateReplay($input:CreateReplayInput!){createReplay(input:$input){total replay{...ReplayState}}}fragment ReplayState on Replay{id status done total}' as Document<CreateReplayMutation, CreateReplayMutationVariables>;

export const CancelReplay = 'mutation CancelReplay($id:ID!){cancelReplay(input:{id:$id}){replay{...ReplayState}}}fragment ReplayState on Replay{id status done total}' as Document<CancelReplayMutation, CancelReplayMutationVariables>;

export const Replay = 'query Replay($id:ID!){replay(id:$id){...ReplayState}}fragment ReplayState on Replay{id status done total}' as Document<ReplayQuery, ReplayQueryVariables>;

export const Replays = 'query Replays($webhookId:ID!$after:String){replays(first:20 webhookId:$webhookId after:$after){nodes{...ReplayState since until deliveryStatus kinds createdAt}pageInfo{endCursor hasNextPage}}}fragment ReplayState on Replay{id status done total}' as Document<ReplaysQuery, ReplaysQueryVariables>;

export const SigningSecret = 'query SigningSecret($id:ID!){webhook(id:$id){signingSecret}}' as Document<SigningSecretQuery, SigningSecretQueryVariables>;

export const Example = 'query Example($filter:DeliveryFilter){deliveries(first:1 filter:$filter){nodes{id payload}}}' as Document<ExampleQuery, ExampleQueryVariables>;

