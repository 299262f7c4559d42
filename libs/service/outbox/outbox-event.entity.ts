import { defineEntity, p } from '@mikro-orm/core';

/** An event that a service's transactions have written, of the schema that is named. See `Outbox`. */
export const outboxEventEntity = (schema: string) =>
  defineEntity({
    name: 'OutboxEvent',
    tableName: 'outbox',
    schema,
    properties: {
      workspaceId: p.uuid().primary(),
      id: p.uuid().primary(),
      kind: p.text(),
      body: p.text(),
      createdAt: p.datetime(6).defaultRaw('now()'),
      /** Where the event stream acknowledged it; null until then. */
      streamSeq: p.bigint('string').nullable(),
    },
    // For the sweeper what is not published, for the search of a lost tail what is. In one index of both, all that was published
    // since the last vacuum would still stand among what is not, and every sweep would read it.
    indexes: [
      { name: 'outbox_created_at', properties: 'createdAt', type: 'brin' },
      {
        name: 'outbox_published',
        properties: 'streamSeq',
        where: 'stream_seq is not null',
      },
      {
        name: 'outbox_unpublished',
        properties: 'createdAt',
        where: 'stream_seq is null',
      },
    ],
  });
