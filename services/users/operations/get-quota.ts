import type { Handler } from '@roster/bus';
import { uuidOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { UsersService } from '../service.js';

/** Runs one statement per batch. An unknown workspace has no quota. */
export const getQuota =
  ({ database }: UsersService): Handler<Operations['workspace-quotas.get']> =>
  async (calls) => {
    const ids = calls.map(({ input }) => uuidOf('workspace', input.workspaceId));
    const rows = await database.query<{ id: string; contacts: number | null }>(select, [ids]);
    const contactsOf = new Map(rows.map(({ id, contacts }) => [id, contacts]));
    return ids.map((id) => ({ contacts: contactsOf.get(id) ?? null }));
  };

const select: Statement = {
  name: 'quotas.contacts',
  text: 'select id, quota_contacts::float8 as contacts from users.workspaces where id = any ($1::uuid[])',
};
