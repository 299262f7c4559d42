import { uuidOf, type Caller } from '@roster/contracts';

/**
 * Which workspaces a caller may name users and keys in by their id. Operators (`systemCaller`) act for no workspace and
 * reach all: the one exception from the rule that every query names a workspace. Anybody else stays within their own.
 */
export const withinReach = ({ workspaceId }: Caller): { workspaceId?: string } =>
  workspaceId === '' ? {} : { workspaceId: uuidOf('workspace', workspaceId) };
