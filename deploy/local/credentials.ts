import { randomBytes } from 'node:crypto';

import { publicKeyOf } from '@roster/process';

import { services, type DatabaseUrls } from './database/database-user.js';
import { seedFile } from './nats-keys.js';
import { readIfThere, writePrivateFile } from './private-file.js';

export const processNames = [...services, 'gateway'] as const;
export type ProcessName = (typeof processNames)[number];

/** Servers and secrets of a system. */
export interface Credentials {
  databaseUrls: DatabaseUrls;
  natsUrl: string;
  /** Folder with the seeds of the programs. Without it, the environment determines the credentials. */
  natsKeys?: string | undefined;
  /** The signing key, as `id:base64`. */
  callerKey: string;
  tokenKeys: string;
}

/** The environment with which a process authenticates and proves callers: it has no secret of another process. */
export function credentialsOf(
  name: ProcessName,
  { databaseUrls, natsUrl, natsKeys, callerKey, tokenKeys }: Credentials,
): NodeJS.ProcessEnv {
  return {
    NATS_URL: natsUrl,
    ...(natsKeys !== undefined && {
      NATS_NKEY_SEED_FILE: seedFile(natsKeys, name),
      NATS_CREDENTIALS_FILE: '',
    }),
    CALLER_PUBLIC_KEYS: publicKeyOf(callerKey),
    ...(name === 'users' && { CALLER_SIGNING_KEY: callerKey }),
    ...(name === 'webhooks' && { TOKEN_KEYS: tokenKeys }),
    // The gateway receives no URL of a database. Each service connects as its own role, which cannot migrate.
    ...(name !== 'gateway' && { DATABASE_URL: databaseUrls[name], MIGRATE: 'false' }),
  };
}

/** A secret key. Created once: without the key that encrypts webhook tokens, stored ones cannot be decrypted. */
export function keptKey(file: string): string {
  const there = readIfThere(file);
  if (there !== undefined) return there.trim();
  const made = `local:${randomBytes(32).toString('base64')}`;
  writePrivateFile(file, `${made}\n`);
  return made;
}
