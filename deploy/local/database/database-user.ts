import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readIfThere, writePrivateFile } from '../private-file.js';

/** The services with a schema of the same name, in the order in which they are migrated. */
export const services = ['contacts', 'users', 'webhooks', 'dispatcher'] as const;

/** The programs that connect to PostgreSQL, each with a role of its own: every service, and `roster migrate`. */
export const databaseUsers = ['migrate', ...services] as const;
export type DatabaseUser = (typeof databaseUsers)[number];

/** A URL for each. */
export type DatabaseUrls = Readonly<Record<DatabaseUser, string>>;

/** An object with a value for each. */
export const forEachUser = <Value>(
  valueOf: (user: DatabaseUser) => Value,
): Record<DatabaseUser, Value> =>
  Object.fromEntries(databaseUsers.map((user) => [user, valueOf(user)])) as Record<
    DatabaseUser,
    Value
  >;

/** The names of the roles, unless URLs contain others. */
export const defaultRoleNames = {
  migrate: 'roster_migrator',
  contacts: 'roster_contacts',
  users: 'roster_users',
  webhooks: 'roster_webhooks',
  dispatcher: 'roster_dispatcher',
} satisfies Record<DatabaseUser, string>;

/** The variable with the URL of a user. */
export const urlVariable = (user: DatabaseUser) =>
  `${user.toUpperCase() as Uppercase<DatabaseUser>}_DATABASE_URL` as const;

const passwords = z.record(z.enum(databaseUsers), z.string().min(1));

/**
 * The URLs of the roles in the embedded server. Their passwords are created once, in a file that only its owner can read; every
 * start sets them in the database again.
 */
export function embeddedUrls(file: string, superuserUrl: string): DatabaseUrls {
  const kept = passwords.safeParse(JSON.parse(readIfThere(file) ?? 'null'));
  const made = kept.success ? kept.data : forEachUser(() => randomBytes(24).toString('hex'));
  if (!kept.success) writePrivateFile(file, `${JSON.stringify(made, null, 2)}\n`);
  return forEachUser((user) => {
    const url = new URL(superuserUrl);
    url.username = defaultRoleNames[user];
    url.password = made[user];
    return url.href;
  });
}
