import type { Handler } from '@roster/bus';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { erasureColumns, erasureShape, type ErasureRecord } from '../erasures/erasure-shape.js';
import type { ContactsService } from '../service.js';

type GetErasure = Operations['erasures.get'];

/** Runs one statement per batch. */
export const getErasure =
  ({ database }: ContactsService): Handler<GetErasure> =>
  async (calls) => {
    const rows = await database.query<ErasureRecord & { n: number }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('erasure', input.erasureId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const record = found.get(index + 1);
      return record ? { erasure: erasureShape(record) } : notFound('erasure');
    });
  };

const select: Statement = {
  name: 'erasures.get',
  text: `
    select requested.n::int, ${erasureColumns('e')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n)
      join contacts.erasures e using (workspace_id, id)`,
};
