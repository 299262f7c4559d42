import { defineEntity, p } from '@mikro-orm/core';

/** A successful call and its stored response, in the given schema. See `idempotent`. */
export const idempotencyKeyEntity = (schema: string) =>
  defineEntity({
    name: 'IdempotencyKey',
    tableName: 'idempotency_keys',
    schema,
    properties: {
      workspaceId: p.uuid().primary(),
      key: p.text().primary(),
      /** The user whose credential sent the key. Null for callers without a user. */
      userId: p.uuid().nullable(),
      /** The API key or browser token to which the key belongs. Until 0.4.0: null where 0.2.0 writes. */
      credential: p.text().nullable(),
      operation: p.text(),
      /** See `AnswerCipher`: not always a plain SHA-256. */
      inputSha256: p.blob().fieldName('input_sha256'),
      answer: p.text().nullable(),
      createdAt: p.datetime(6).defaultRaw('now()'),
    },
    indexes: [{ name: 'idempotency_keys_created_at', properties: 'createdAt', type: 'brin' }],
  });
