import type { Handler } from '@roster/bus';
import { emailKey, notFound, suppressionCursor, uuidOf, type Operations } from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { suppressionShape, type SuppressionRow } from '../../writing/suppress-addresses.js';

type ListSuppressions = Operations['suppressions.list'];

/** The suppressions of a workspace, newest first, or that of an address. */
export const listSuppressions = ({ database }: ContactsService): Handler<ListSuppressions> =>
  onPool(
    database,
    each<ListSuppressions>(async ({ input: { limit, after, email }, caller }, session) => {
      const workspaceId = uuidOf('workspace', caller.workspaceId);
      const before = after === undefined ? highestId : suppressionCursor.uuidOfAfter(after);
      const rows = await (email === undefined
        ? session.query<SuppressionRow>(select, [workspaceId, before, limit + 1])
        : session.query<SuppressionRow>(selectByKey, [workspaceId, before, emailKey(email)]));
      const shown = rows.slice(0, limit);
      const next = rows.length > limit ? suppressionCursor.ofUuid(shown.at(-1)!.id) : null;
      return { suppressions: shown.map(suppressionShape), pagination: { limit, next } };
    }),
  );

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** In the order of the primary key. */
const select: Statement = {
  name: 'suppressions.list',
  text: `
    select id, reason from contacts.suppressions
    where workspace_id = $1 and id < $2 order by id desc limit $3::int`,
};

const selectByKey: Statement = {
  name: 'suppressions.find',
  text: `
    select id, reason from contacts.suppressions
    where workspace_id = $1 and id < $2 and hash = contacts.suppression_hash($1::uuid, $3)`,
};

/** Runs one statement per batch. */
export const getSuppression =
  ({ database }: ContactsService): Handler<Operations['suppressions.get']> =>
  async (calls) => {
    const rows = await database.query<SuppressionRow & { n: number }>(selectById, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('suppression', input.suppressionId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const row = found.get(index + 1);
      return row ? { suppression: suppressionShape(row) } : notFound('suppression');
    });
  };

const selectById: Statement = {
  name: 'suppressions.get',
  text: `
    select requested.n::int, s.id, s.reason
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n)
      join contacts.suppressions s using (workspace_id, id)`,
};
