import { defineEntity, p } from '@mikro-orm/core';

/** An entry of the audit log, in the given schema. See `AuditLog`. */
export const auditEntryEntity = (schema: string) =>
  defineEntity({
    name: 'AuditEntry',
    tableName: 'audit_log',
    schema,
    properties: {
      workspaceId: p.uuid().primary(),
      /** In the order of time. */
      id: p.uuid().primary(),
      action: p.text(),
      /** External IDs. Null for operators; `actorId` is `system` for automatic changes. */
      actorId: p.text().nullable(),
      keyId: p.text().nullable(),
      address: p.text().nullable(),
      requestId: p.text(),
      resourceId: p.text(),
      before: p.json().nullable(),
      after: p.json().nullable(),
      createdAt: p.datetime(3).defaultRaw('now()'),
    },
    indexes: [{ name: 'audit_log_created_at', properties: 'createdAt', type: 'brin' }],
  });

/** The number of entries with a limit that a workspace has written on a day (UTC), in the given schema. See `AuditLog`. */
export const auditDayEntity = (schema: string) =>
  defineEntity({
    name: 'AuditDay',
    tableName: 'audit_days',
    schema,
    properties: {
      workspaceId: p.uuid().primary(),
      day: p.date().primary(),
      entries: p.integer(),
    },
  });
