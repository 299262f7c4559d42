import {
  auditActionsOf,
  systemCaller,
  encodeId,
  uuidOf,
  type AuditAction,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, mergePages, type Session, type Statement } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';

type ListAuditLog = Operations['audit-log.list'];
type Entry = OutputOf<Operations['webhooks.audit-entries']>['entries'][number];
type Source = keyof typeof auditActionsOf;

/** The entries of all services that may have entries with the requested action. */
export const listAuditLog = ({ bus }: UsersService) =>
  each<ListAuditLog>(async ({ input, caller, ...call }, session) => {
    const { workspaceId } = caller;
    const { requestId, traceparent, deadline } = call;
    const context = {
      caller: { ...systemCaller, workspaceId },
      requestId,
      deadline,
      ...(traceparent !== undefined && { traceparent }),
    };
    const pageOf: Record<Source, () => Promise<OutputOf<Operations['webhooks.audit-entries']>>> = {
      users: () => auditLog.page(session, workspaceId, input),
      webhooks: () => bus.call('webhooks.audit-entries', { ...input, workspaceId }, context),
      contacts: () => bus.call('contacts.audit-entries', { ...input, workspaceId }, context),
      dispatcher: () => bus.call('dispatcher.audit-entries', { ...input, workspaceId }, context),
    };
    const pages = sourcesOf(input.action).map((source) => pageOf[source]());
    const { entries, pagination } = mergePages(await Promise.all(pages), input.limit);
    return { entries: await withNames(session, workspaceId, entries), pagination };
  });

/** Entries have IDs only: a user's name is not stored where it would outlive the user, and it shows as it is now. */
async function withNames(session: Session, workspaceId: string, entries: readonly Entry[]) {
  const actors = new Set(entries.flatMap(({ actor }) => actor ?? []));
  const rows =
    actors.size === 0
      ? []
      : await session.query<{ id: string; name: string }>(names, [
          uuidOf('workspace', workspaceId),
          [...actors].map((actor) => uuidOf('user', actor)),
        ]);
  const nameOf = new Map(rows.map(({ id, name }) => [encodeId('user', id), name]));
  return entries.map((entry) => ({
    ...entry,
    actorName: (entry.actor === null ? undefined : nameOf.get(entry.actor)) ?? null,
  }));
}

const names: Statement = {
  name: 'users.names',
  text: 'select id, name from users.users where workspace_id = $1 and id = any($2::uuid[])',
};

const sources = Object.entries(auditActionsOf) as [Source, readonly AuditAction[]][];

const sourcesOf = (action: AuditAction | undefined): Source[] =>
  sources
    .filter(([, actions]) => action === undefined || actions.includes(action))
    .map(([source]) => source);
