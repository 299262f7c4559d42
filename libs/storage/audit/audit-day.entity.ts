import { defineEntity, p } from '@mikro-orm/core';

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
