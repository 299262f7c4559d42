import type { Handler } from '@roster/bus';
import { uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import type { ContactsService } from '../service.js';

/** Runs one query per batch. */
export const getSettings =
  ({ database }: ContactsService): Handler<Operations['settings.get']> =>
  async (calls) => {
    const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    return (await settingsOf(database, workspaceIds)).map((settings) => ({ settings }));
  };

type Settings = OutputOf<Operations['settings.get']>['settings'];

/** The settings of workspaces, in their order. */
export async function settingsOf(
  session: Session,
  workspaceIds: readonly string[],
): Promise<Settings[]> {
  const rows = await session.query<{ workspace_id: string; strict_properties: boolean }>(select, [
    workspaceIds,
  ]);
  const found = new Map(rows.map((row) => [row.workspace_id, row.strict_properties]));
  return workspaceIds.map((id) => ({ strictProperties: found.get(id) ?? false }));
}

const select: Statement = {
  name: 'settings.of',
  text: `
    select workspace_id, strict_properties from contacts.settings where workspace_id = any ($1::uuid[])`,
};
