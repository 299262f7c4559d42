import { defineEntity, p } from '@mikro-orm/core';

/** How far the outbox of a schema agrees with the stream: one row. See `Checkpoint`. */
export const outboxCheckpointEntity = (schema: string) =>
  defineEntity({
    name: 'OutboxCheckpoint',
    tableName: 'outbox_checkpoint',
    schema,
    properties: {
      /** Always true: there is no other row. */
      id: p.boolean().primary().default(true),
      epoch: p.bigint('string').defaultRaw('0'),
      comparedEpoch: p.bigint('string').defaultRaw('0'),
      /** The last sign of life of the process that compares. */
      seenAt: p.datetime(6).defaultRaw('now()'),
      incarnation: p.text().nullable(),
      positions: p.json().defaultRaw(`'[]'`),
    },
    checks: [{ name: 'outbox_checkpoint_id_check', expression: 'id' }],
  });
