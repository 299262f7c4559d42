import { parseDatabaseUrl } from '@roster/storage';

import { readLocalConfig } from '../config.js';
import { applyRoles } from './apply-roles.js';
import { defaultRoleNames, forEachUser, urlVariable } from './database-user.js';
import { rolesScript } from './roles-script.js';

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
