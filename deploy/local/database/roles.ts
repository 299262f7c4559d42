import { parseDatabaseUrl } from '@roster/storage';
import { readLocalConfig } from '../config.js';
import {
  defaultRoleNames,
  forEachUser,
  urlVariable,
  databaseUsers,
  type DatabaseUrls,
} from './database-user.js';
import { rolesScript, rolesStatements } from './roles-script.js';
import { NotYet } from '@roster/process';
import { patienceMs, reasonOf, withDatabase } from './with-database.js';
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** `roster postgres roles`: prints the script, with the names in the URLs that are set. */
export function printRoles(): string {
  const { databaseUrls } = readLocalConfig();
  return rolesScript(
    forEachUser((user) => {
      const url = databaseUrls[user];
      return (url && parseDatabaseUrl(url).client.user) ?? defaultRoleNames[user];
    }),
  );
}

/** `roster postgres roles --apply`: creates the roles in DATABASE_URL, with the names and passwords of the other URLs. */
export async function createRoles(): Promise<{ roles: string[] }> {
  const { databaseUrls, DATABASE_URL } = readLocalConfig();
  if (!DATABASE_URL)
    throw new Error('DATABASE_URL is missing: set it to the URL of a role that may create roles');
  const urls = forEachUser((user) => {
    const url = databaseUrls[user];
    if (!url)
      throw new Error(
        `${urlVariable(user)} is missing: set it to postgres://${defaultRoleNames[user]}:password@host:port/database`,
      );
    return url;
  });
  return { roles: await applyRoles(DATABASE_URL, urls) };
}

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

const iterations = 4096;

/**
 * What PostgreSQL stores of a password (SCRAM-SHA-256, RFC 7677). Sent instead of the password, which then appears in no log
 * of the server.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest();
  return (
    `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}` +
    `$${storedKey.toString('base64')}:${keyed('Server Key').toString('base64')}`
  );
}
