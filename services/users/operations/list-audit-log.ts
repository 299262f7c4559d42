import {
  auditActionsOf,
  systemCaller,
  type AuditAction,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, mergePages } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';

type ListAuditLog = Operations['audit-log.list'];
type Source = keyof typeof auditActionsOf;

/** The entries of all services that may have entries with the requested action. */
export const listAuditLog = ({ bus }: UsersService) =>
  each<ListAuditLog>(({ input, caller, ...call }, session) => {
    const { workspaceId } = caller;
    const { requestId, traceparent, deadline } = call;
    const context = {
      caller: { ...systemCaller, workspaceId },
      requestId,
      deadline,
      ...(traceparent !== undefined && { traceparent }),
    };
    const pageOf: Record<Source, () => Promise<OutputOf<ListAuditLog>>> = {
      users: () => auditLog.page(session, workspaceId, input),
      webhooks: () => bus.call('webhooks.audit-entries', { ...input, workspaceId }, context),
      contacts: () => bus.call('contacts.audit-entries', { ...input, workspaceId }, context),
      dispatcher: () => bus.call('dispatcher.audit-entries', { ...input, workspaceId }, context),
    };
    const pages = sourcesOf(input.action).map((source) => pageOf[source]());
    return Promise.all(pages).then((read) => mergePages(read, input.limit));
  });

const sources = Object.entries(auditActionsOf) as [Source, readonly AuditAction[]][];

const sourcesOf = (action: AuditAction | undefined): Source[] =>
  sources
    .filter(([, actions]) => action === undefined || actions.includes(action))
    .map(([source]) => source);
