import type { Call, Handler } from '@roster/bus';
import { uuidOf, type InputOf, type Operations } from '@roster/contracts';
import type { AuditedChange, Statement } from '@roster/storage';
import { auditLog, type ContactsService } from '../../service.js';

type ExportContacts = Operations['contacts.export'];

/** Begins exports, and records them: returns the names of the defined properties. The contacts are then read with `contacts.find`, page by page. */
export const exportContacts =
  ({ database }: Pick<ContactsService, 'database'>): Handler<ExportContacts> =>
  async (calls) => {
    const rows = await database.query<{ names: string | null }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    ]);
    const refusals = await auditLog.recordAll(
      database,
      calls.map((call) => [call, exported(call)] as const),
    );
    return rows.map(
      ({ names }, index) => refusals[index] ?? { properties: names?.split(',') ?? [] },
    );
  };

/** The values of filters can be addresses and names: the entry says only by which fields contacts were selected. */
const exported = ({ caller, input }: Call<InputOf<ExportContacts>>): AuditedChange => {
  const { format, ...filter } = input;
  return {
    action: 'contacts.exported',
    resourceId: caller.workspaceId,
    after: { format, filters: Object.keys(filter) },
  };
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
