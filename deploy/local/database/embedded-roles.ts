import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import { readIfThere, writePrivateFile } from '../private-file.js';
import {
  databaseUsers,
  defaultRoleNames,
  forEachUser,
  type DatabaseUrls,
} from './database-user.js';

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
