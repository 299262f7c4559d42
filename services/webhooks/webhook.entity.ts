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
    previousTokenUntil: p.datetime().nullable(),
    /** Why nothing is sent any more; null while the webhook works. */
    disabledReason: p.text().nullable(),
    lastSuccessAt: p.datetime().nullable(),
    lastFailureAt: p.datetime().nullable(),
    /** When it began to do nothing but fail; null when it did not. See `reportHealth`. */
    failingSince: p.datetime().nullable(),
    /** Failures until then count no more: somebody enabled it, or gave it another url. */
    forgivenAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().onUpdate(() => new Date()),
  },
});

export type Webhook = InferEntity<typeof Webhook>;
