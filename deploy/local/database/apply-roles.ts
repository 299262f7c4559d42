import { NotYet } from '@roster/process';
import { parseDatabaseUrl } from '@roster/storage';

import { databaseUsers, forEachUser, type DatabaseUrls, urlVariable } from './database-user.js';
import { rolesStatements } from './roles-script.js';
import { scramVerifier } from './scram-verifier.js';
import { patienceMs, reasonOf, withDatabase } from './with-database.js';

/**
 * Creates the roles that the URLs name, limits them, and sets their passwords, in one transaction.
 *
 * @param adminUrl of a role that may do so
 * @returns the names of the roles
 */
export async function applyRoles(adminUrl: string, urls: DatabaseUrls): Promise<string[]> {
  const accounts = forEachUser((user) => accountIn(urlVariable(user), urls[user]));
  const names = forEachUser((user) => accounts[user].name);
  if (new Set(Object.values(names)).size < databaseUsers.length)
    throw new Error(`Two of ${databaseUsers.map(urlVariable).join(', ')} name the same role.`);
  const statements = [
    ...rolesStatements(names),
    ...Object.values(accounts).map(
      ({ name, password }) =>
        `alter role "${name.replaceAll('"', '""')}" password '${scramVerifier(password)}'`,
    ),
  ];
  try {
    await withDatabase(adminUrl, 'users', performance.now() + patienceMs, async (database) => {
      // Throws NotYet, with the reason, if the database cannot be used.
      await database.pending();
      await database.transaction(async ({ em }) => {
        for (const statement of statements) await em.execute(statement);
      });
    });
  } catch (error) {
    if (error instanceof NotYet) throw error;
    const reason = reasonOf(error as Error);
    throw new Error(
      `The roles could not be created: ${reason}. Run this as a superuser, or as a role with CREATEROLE that owns the database.`,
      { cause: error },
    );
  }
  return Object.values(names);
}

function accountIn(variable: string, url: string): { name: string; password: string } {
  const { user, password } = parseDatabaseUrl(url).client;
  if (user === undefined || typeof password !== 'string')
    throw new Error(`${variable} must contain a user name and a password.`);
  return { name: user, password };
}
