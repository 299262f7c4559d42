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
    /** Why nothing is sent any more; null while the webhook works. */
    disabledReason: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().onUpdate(() => new Date()),
  },
});

export type Webhook = InferEntity<typeof Webhook>;
