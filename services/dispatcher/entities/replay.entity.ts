import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Deliveries of a time range that are sent again. */
export const Replay = defineEntity({
  name: 'Replay',
  tableName: 'replays',
  schema: 'dispatcher',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    webhookId: p.uuid(),
    since: p.datetime(3),
    until: p.datetime(3),
    /** Restricts it to deliveries with this status. */
    deliveryStatus: p.text().nullable(),
    /** Restricts it to events of these kinds. */
    kinds: p.array().nullable(),
    total: p.bigint('number'),
    done: p.bigint('number').defaultRaw('0'),
    status: p.text(),
    /** The last delivery that was put into the queue. The next step continues after it. */
    reached: p.uuid().nullable(),
    nextAt: p.datetime(6).defaultRaw('now()'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [
    { name: 'replays_running', properties: 'nextAt', where: `status = 'running'` },
    {
      name: 'replays_of_workspace',
      properties: ['workspaceId', 'nextAt'],
      where: `status = 'running'`,
    },
  ],
  checks: [
    {
      name: 'replays_status_check',
      expression: `status in ('running', 'completed', 'cancelled')`,
    },
  ],
});

export type Replay = InferEntity<typeof Replay>;
