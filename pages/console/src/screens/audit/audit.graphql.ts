// Generated from audit.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** What made a change. */
export type AuditActorType =
  | 'OPERATOR'
  /** No request made the change: for example, a webhook that fails was disabled. */
  | 'SYSTEM'
  | 'USER';

export type AuditLogQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  action?: string | null | undefined;
  since?: string | null | undefined;
}>;


export type AuditLogQuery = { auditLog: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, action: string, actor: string | null, actorName: string | null, actorType: AuditActorType, address: string | null, createdAt: string, keyId: string | null, resourceId: string, requestId: string, before: Record<string, unknown> | null, after: Record<string, unknown> | null }> } | null };

export type AuditRowFragment = { id: string, action: string, actor: string | null, actorName: string | null, actorType: AuditActorType, address: string | null, createdAt: string, keyId: string | null, resourceId: string, requestId: string, before: Record<string, unknown> | null, after: Record<string, unknown> | null };

export const AuditLog = 'query AuditLog($first:Int!$after:String$action:String$since:DateTime){auditLog(first:$first after:$after action:$action since:$since){pageInfo{endCursor hasNextPage}nodes{...AuditRow}}}fragment AuditRow on AuditEntry{id action actor actorName actorType address createdAt keyId resourceId requestId before after}' as Document<AuditLogQuery, AuditLogQueryVariables>;

