import { Contended, type Call } from '@roster/bus';
import { uuidOf } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { ContactsService } from '../service.js';

/**
 * Creates the watermark of a workspace that has none, committed before the transaction of the writes. Single creations skip a
 * workspace whose watermark is locked. For one that another transaction inserts they would wait, together with those of all other
 * workspaces in their statement.
 */
export async function createWatermark(
  { database }: ContactsService,
  { caller }: Call,
): Promise<void> {
  await database.query(create, [uuidOf('workspace', caller.workspaceId)]);
}

const create: Statement = {
  name: 'contacts.create-watermark',
  text: `
    insert into contacts.watermarks (workspace_id, last_id) values ($1, '00000000-0000-0000-0000-000000000000')
    on conflict (workspace_id) do nothing`,
};

/** Answers a write to a workspace that is locked for too long, or for which it does not wait. Nothing was changed. */
export const workspaceLocked = new Contended({
  message: 'Too many writes to the workspace are in progress. Try again later.',
  concernsAll: true,
});
