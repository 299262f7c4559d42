import { defineEntity, p } from '@mikro-orm/core';

/** How far the outbox of a schema is known to agree with the stream: one row. See `Checkpoint`. */
export const outboxCheckpointEntity = (schema: string) =>
  defineEntity({
    name: 'OutboxCheckpoint',
    tableName: 'outbox_checkpoint',
    schema,
    properties: {
      /** Always true, so that there is only one row. */
      id: p.boolean().primary().default(true),
      epoch: p.bigint('string').defaultRaw('0'),
      comparedEpoch: p.bigint('string').defaultRaw('0'),
      /** Heartbeat of the process that compares. */
      seenAt: p.datetime(6).defaultRaw('now()'),
      incarnation: p.text().nullable(),
      positions: p.json().defaultRaw(`'[]'`),
    },
    checks: [{ name: 'outbox_checkpoint_id_check', expression: 'id' }],
  });
