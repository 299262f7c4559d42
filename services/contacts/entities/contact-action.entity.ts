import { defineEntity, p } from '@mikro-orm/core';

/** A change of all contacts that match a filter: what it does, how far it is, and the counts of its outcomes. */
export const ContactAction = defineEntity({
  name: 'ContactAction',
  tableName: 'actions',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    status: p.text(),
    /** As JSON. */
    filter: p.text(),
    /** The types of its properties when the action was created, except for strings, as JSON. */
    filterTypes: p.text().defaultRaw("'{}'"),
    /** The only contacts, ascending. */
    contactIds: p.array().columnType('uuid[]').nullable(),
    /** As JSON. */
    change: p.text(),
    dryRun: p.boolean(),
    /** ID of the last contact that was handled. */
    position: p.uuid(),
    /** No later contact existed when the action was created. */
    endId: p.uuid(),
    total: p.integer(),
    examined: p.integer().defaultRaw('0'),
    matched: p.integer().defaultRaw('0'),
    changed: p.integer().defaultRaw('0'),
    unchanged: p.integer().defaultRaw('0'),
    failed: p.integer().defaultRaw('0'),
    /** The first ones, as JSON. */
    failures: p.text().defaultRaw("'[]'"),
    /** Consecutive failures of the next slice that no retry is expected to end. */
    attempts: p.smallint().defaultRaw('0'),
    reason: p.text().nullable(),
    /** When the next slice may be done. */
    nextAt: p.datetime(6).defaultRaw('now()'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    endedAt: p.datetime(3).nullable(),
    /** Of the request that created it, as `traceText` writes it; null if that was not traced. */
    trace: p.text().nullable(),
  },
  indexes: [
    {
      name: 'actions_runnable',
      properties: ['workspaceId', 'id'],
      where: `status in ('queued', 'running')`,
    },
    { name: 'actions_ended_at', properties: 'endedAt', where: 'ended_at is not null' },
  ],
  checks: [
    {
      name: 'actions_status_check',
      expression: `status in ('queued', 'running', 'completed', 'cancelled', 'failed')`,
    },
  ],
});
