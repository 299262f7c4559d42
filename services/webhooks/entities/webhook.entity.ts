import type { StreamPosition, WebhookFilter, WebhookPayload } from '@roster/contracts';
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A subscription of a URL to events of a workspace. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  schema: 'webhooks',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** What it is for, in the words of its owner. */
    description: p.text().nullable(),
    url: p.text(),
    events: p.array(),
    payload: p.text().$type<WebhookPayload>().default('compact'),
    /** See `TokenCipher`. */
    tokenCiphertext: p.text(),
    /** The token before the last rotation, valid in addition until then. */
    previousTokenCiphertext: p.text().nullable(),
    previousTokenUntil: p.datetime(3).nullable(),
    /** Headers of its owner, as JSON. See `TokenCipher`. */
    headersCiphertext: p.text().nullable(),
    headerNames: p.array().default([]),
    /** Maximum number of attempts per second. */
    ratePerSecond: p.integer().nullable(),
    filter: p.json<WebhookFilter>().nullable(),
    filterChangedAt: p.datetime(3).nullable(),
    /** Whether deliveries carry the trace context of their events. */
    traceContext: p.boolean().default(false),
    /** Why it is disabled; null while it is enabled. */
    disabledReason: p.text().nullable(),
    lastSuccessAt: p.datetime(3).nullable(),
    lastFailureAt: p.datetime(3).nullable(),
    /** The first failure since the last success; null if there is none. See `reportHealth`. */
    failingSince: p.datetime(3).nullable(),
    /** A sample of the failures since then. See `reportHealth`. */
    failures: p
      .array<Date>((text) => new Date(text))
      .columnType('timestamptz[]')
      .default([])
      .lazy(),
    /** The newest failure that was known when an event last announced that it begins to fail. See `reportHealth`. */
    failingAnnouncedAt: p.datetime(3).nullable(),
    /** When kinds of events were added after the creation, by kind. */
    subscribedAt: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    /** When it was last disabled. */
    disabledAt: p.datetime(3).nullable(),
    /** The end of the period that began at `disabledAt`; null if that is unknown. */
    enabledAt: p.datetime(3).nullable(),
    /** The end of the stream of events at `createdAt` and at the times in `subscribedAt`, `disabledAt` and `enabledAt`, by time. */
    positions: p.json<Record<string, StreamPosition>>().defaultRaw(`'{}'`),
    /** Failures until then are ignored: it was enabled, or its URL changed. */
    forgivenAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3).onUpdate(() => new Date()),
  },
  checks: [
    { name: 'webhooks_events_check', expression: 'cardinality(events) > 0' },
    {
      name: 'webhooks_check',
      expression: '(previous_token_ciphertext is null) = (previous_token_until is null)',
    },
  ],
});

export type Webhook = InferEntity<typeof Webhook>;
