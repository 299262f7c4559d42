import { systemCaller, type Operations } from '@roster/contracts';
import { each, mergePages, type SessionHandler } from '@roster/service/storage';
import { auditLog } from './audit-log.js';
import type { UsersService } from './service.js';

type ListAuditLog = Operations['audit-log.list'];

/** The entries of this service, and those of webhooks unless the requested action is one of this service. */
export const listAuditLog = ({ bus }: UsersService): SessionHandler<ListAuditLog> =>
  each<ListAuditLog>(async ({ input, caller, ...call }, session) => {
    const { workspaceId } = caller;
    const { requestId, traceparent, deadline } = call;
    const context = {
      caller: { ...systemCaller, workspaceId },
      requestId,
      deadline,
      ...(traceparent !== undefined && { traceparent }),
    };
    const own = auditLog.page(session, workspaceId, input);
    if (input.action !== undefined && !input.action.startsWith('webhook.')) return own;
    const ofWebhooks = bus.call('webhooks.audit-entries', { ...input, workspaceId }, context);
    return mergePages(await Promise.all([own, ofWebhooks]), input.limit);
  });
