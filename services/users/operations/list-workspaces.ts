import { encodeId, type Operations, uuidOf, workspaceCursor } from '@roster/contracts';
import { each } from '@roster/storage';
import { Workspace } from '../entities/workspace.entity.js';

/** All workspaces, oldest first. For operators. */
export const listWorkspaces = each<Operations['workspaces.list']>(
  async ({ input: { limit, after } }, { em }) => {
    const rows = await em.find(
      Workspace,
      after === undefined ? {} : { id: { $gt: workspaceCursor.uuidOfAfter(after) } },
      { orderBy: { id: 'asc' }, limit: limit + 1 },
    );
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? workspaceCursor.ofUuid(page.at(-1)!.id) : null;
    return {
      workspaces: page.map(({ id, name, createdAt }) => ({
        id: encodeId('workspace', id),
        name,
        createdAt: createdAt.toISOString(),
      })),
      pagination: { limit, next },
    };
  },
);

/** The name of a workspace, or null if there is none. */
export const getWorkspaceName = each<Operations['workspaces.name']>(
  async ({ input: { workspaceId } }, { em }) => {
    const found = await em.findOne(Workspace, { id: uuidOf('workspace', workspaceId) });
    return { name: found?.name ?? null };
  },
);
