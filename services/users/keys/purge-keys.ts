import { deleteInPortions, type Session, type Statement } from '@roster/storage';

/** As long as entries of the audit log, which name keys. */
const keepDays = 400;

/** Deletes the keys of all workspaces that were revoked or expired more than 400 days ago. */
export function purgeKeys(session: Session): Promise<void> {
  return deleteInPortions(session, purge, [keepDays]);
}

// May scan the whole table. Rows that another process locks are left to it, or to the next run.
const purge: Statement = {
  name: 'keys.purge',
  plan: 'any',
  text: `
    delete from users.api_keys where ctid = any (array(
      select ctid from users.api_keys
      where least(revoked_at, expires_at) < now() - $1 * interval '1 day'
      limit $2 for update skip locked
    )) returning 1`,
};
