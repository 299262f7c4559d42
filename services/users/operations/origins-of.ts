import type { Session, Statement } from '@roster/storage';

/** The origins of a workspace, in alphabetical order. */
export async function originsOf(session: Session, workspaceId: string): Promise<string[]> {
  const rows = await session.query<{ origin: string }>(select, [workspaceId]);
  return rows.map(({ origin }) => origin);
}

const select: Statement = {
  name: 'origins.of',
  text: `select origin from users.origins where workspace_id = $1 order by origin`,
};
