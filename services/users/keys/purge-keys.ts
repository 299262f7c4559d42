import { deleteInPortions, type Session, type Statement } from '@roster/storage';

/** As long as entries of the audit log, which name keys. */
const keepDays = 400;

/** Deletes the keys of all workspaces that were revoked or expired more than 400 days ago, and expired sessions and links. */
export async function purgeKeys(session: Session): Promise<void> {
  await deleteInPortions(session, purge, [keepDays]);
  for (const statement of purgeExpired) await deleteInPortions(session, statement, []);
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

/** Gateways and users refuse them by their expiry before. */
const purgeExpired: readonly Statement[] = ['sessions', 'session_links', 'export_links'].map(
  (table) => ({
    name: `${table.replace('_', '-')}.purge`,
    plan: 'any',
    text: `
    delete from users.${table} where ctid = any (array(
      select ctid from users.${table} where expires_at < now() limit $1 for update skip locked
    )) returning 1`,
  }),
);
