import type { Handler } from '@roster/bus';
import { uuidOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';

/** Begins exports: returns the names of the defined properties. The contacts are then read with `contacts.find`, page by page. */
export const exportContacts =
  ({ database }: Pick<ContactsService, 'database'>): Handler<Operations['contacts.export']> =>
  async (calls) => {
    const rows = await database.query<{ names: string | null }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    ]);
    return rows.map(({ names }) => ({ properties: names?.split(',') ?? [] }));
  };

/** Names consist of letters, digits and underscores. */
const select: Statement = {
  name: 'contacts.export',
  text: `
    select defined.names
    from unnest($1::uuid[]) with ordinality as requested (workspace_id, n),
      lateral (
        select string_agg(name, ',' order by lower(name), name) as names from contacts.contact_properties
        where workspace_id = requested.workspace_id
      ) defined
    order by requested.n`,
};
