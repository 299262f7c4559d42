import { uuidOf, type Caller } from '@roster/contracts';

/**
 * Restricts the workspaces in which a caller may specify users and keys by ID. Operators (`systemCaller`) have no workspace
 * and reach all of them: the only exception from the rule that every query filters by workspace. All other callers reach only
 * their own.
 */
export const withinReach = ({ workspaceId }: Caller): { workspaceId?: string } =>
  workspaceId === '' ? {} : { workspaceId: uuidOf('workspace', workspaceId) };
