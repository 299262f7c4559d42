import { defineEntity, p } from '@mikro-orm/core';

/** A call that succeeded and what it was answered, of the schema that is named. See `idempotent`. */
export const idempotencyKeyEntity = (schema: string) =>
  defineEntity({
    name: 'IdempotencyKey',
    tableName: 'idempotency_keys',
    schema,
    properties: {
      workspaceId: p.uuid().primary(),
      key: p.text().primary(),
      /** Whose key it is. Null for callers that act for no user, and where the former release wrote it. */
      userId: p.uuid().nullable(),
      operation: p.text(),
      inputSha256: p.blob().fieldName('input_sha256'),
      /** Null while the call is in flight. */
      answer: p.text().nullable(),
      createdAt: p.datetime(6).defaultRaw('now()'),
    },
    indexes: [{ name: 'idempotency_keys_created_at', properties: 'createdAt', type: 'brin' }],
  });
