import { Fault, systemCaller, uuidOf, type Caller } from '@roster/contracts';

/**
 * Restricts the workspaces in which a caller may specify users and keys by ID. The operator (`systemCaller`) reaches all of
 * them: the only exception from the rule that every query filters by workspace. All other callers reach only their own.
 *
 * @throws Fault `insufficient_scope` for a caller without a workspace who is not the operator
 */
export function withinReach({ workspaceId, keyId }: Caller): { workspaceId?: string } {
  if (workspaceId !== '') return { workspaceId: uuidOf('workspace', workspaceId) };
  if (keyId === systemCaller.keyId) return {};
  throw new Fault('insufficient_scope', 'The caller has no workspace.');
}
