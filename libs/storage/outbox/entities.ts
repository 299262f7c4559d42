import { defineEntity, p } from '@mikro-orm/core';

/** Events written by a transaction of the service, in the given schema. See `Outbox`. */
export const outboxEventEntity = (schema: string) =>
  defineEntity({
    name: 'OutboxRow',
    tableName: 'outbox',
    schema,
    properties: {
      workspaceId: p.uuid().primary(),
      id: p.uuid().primary(),
      kind: p.text(),
      body: p.text(),
      /** `EventDetails`; null if the event has none. */
      details: p.text().nullable(),
      createdAt: p.datetime(6).defaultRaw('now()'),
      /** The traces of its events, as `formatTraces` writes them; null if none is known. */
      trace: p.text().nullable(),
      /** Stream sequence of the event; null until the stream acknowledged it. */
      streamSeq: p.bigint('string').nullable(),
    },
    // One index for the sweeper (unpublished rows, by workspace), one for the search of lost messages (published rows). In a common
    // index, the rows published since the last vacuum would remain among the unpublished ones, and every sweep would read them.
    indexes: [
      { name: 'outbox_created_at', properties: 'createdAt', type: 'brin' },
      {
        name: 'outbox_published',
        properties: 'streamSeq',
        where: 'stream_seq is not null',
      },
      {
        name: 'outbox_unpublished_by_workspace',
        properties: ['workspaceId', 'createdAt'],
        where: 'stream_seq is null',
      },
    ],
  });

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
      /** Until 0.4.0: from when on a row of the outbox may have several events, which processes of 0.2.0 cannot read. */
      batchesFrom: p.datetime(6).defaultRaw('now()'),
      positions: p.json().defaultRaw(`'[]'`),
    },
    checks: [{ name: 'outbox_checkpoint_id_check', expression: 'id' }],
  });
