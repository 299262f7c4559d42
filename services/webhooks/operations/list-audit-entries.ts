import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { auditLog } from '../audit-log.js';

type ListAuditEntries = Operations['webhooks.audit-entries'];

export const listAuditEntries: SessionHandler<ListAuditEntries> = each<ListAuditEntries>(
  ({ input }, session) => auditLog.page(session, input.workspaceId, input),
);
