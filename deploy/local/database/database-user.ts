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
