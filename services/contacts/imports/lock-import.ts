import { notFound, uuidOf } from '@roster/contracts';
import type { Call } from '@roster/bus';
import type { Session, Statement } from '@roster/storage';
import { importColumns, type ImportRecord } from './import-shape.js';

export interface LockedImport extends ImportRecord {
  chunks: number;
}

/**
 * Locks the import of a call until the transaction ends.
 *
 * @throws Fault `not_found`
 */
export async function lockImport(
  { caller, input }: Call<{ importId: string }>,
  inner: Session,
): Promise<LockedImport> {
  const key = [uuidOf('workspace', caller.workspaceId), uuidOf('import', input.importId)];
  const [found] = await inner.query<LockedImport>(lock, key);
  if (!found) throw notFound('import');
  return found;
}

const lock: Statement = {
  name: 'imports.lock',
  text: `
    select i.chunks, ${importColumns('i')}
    from contacts.imports i where i.workspace_id = $1 and i.id = $2 for update`,
};
