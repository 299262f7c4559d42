import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A subscription: which events of a workspace go where. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  schema: 'webhooks',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    url: p.text(),
    events: p.array(),
    /** See `TokenCipher`. */
    tokenCiphertext: p.text(),
    /** The token before the last rotation, valid beside the other until then. */
    previousTokenCiphertext: p.text().nullable(),
    previousTokenUntil: p.datetime(3).nullable(),
    /** Why nothing is sent any more; null while the webhook works. */
    disabledReason: p.text().nullable(),
    lastSuccessAt: p.datetime(3).nullable(),
    lastFailureAt: p.datetime(3).nullable(),
    /** When it began to do nothing but fail; null when it did not. See `reportHealth`. */
    failingSince: p.datetime(3).nullable(),
    /** When it failed since, thinned out. See `reportHealth`. */
    failures: p
      .array<Date>((text) => new Date(text))
      .columnType('timestamptz[]')
      .default([])
      .lazy(),
    /** Failures until then count no more: somebody enabled it, or gave it another url. */
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
