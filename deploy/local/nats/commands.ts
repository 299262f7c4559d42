import { isPublicKey, printServerUsers, type PublicKeys } from '@roster/bus';
import { programNames } from '@roster/contracts';

import { openKeys } from './keys.js';

/** `nats keys`: makes the missing seeds in a folder, and prints the public keys as the options of `nats permissions`. */
export const printKeys = (folder: string): string =>
  Object.entries(openKeys(folder))
    .map(([program, keys]) => `--${program} ${keys.join(',')}`)
    .join(' ');

/**
 * `nats permissions`: the users of NATS with their permissions, for its configuration.
 *
 * @param given public nkeys by program, separated by commas
 * @throws if a key is not the public nkey of a user, or is given twice
 */
export function printPermissions(given: Record<string, string>): string {
  const keys = programNames.map(
    (program) => [program, (given[program] ?? '').split(',').map((key) => key.trim())] as const,
  );
  const seen = new Set<string>();
  for (const [program, all] of keys)
    for (const key of all) {
      if (!isPublicKey(key))
        throw new Error(`--${program} accepts public nkeys of users (U…), separated by commas.`);
      if (seen.has(key))
        throw new Error(`Every program requires a key of its own: ${key} is given twice.`);
      seen.add(key);
    }
  return printServerUsers(Object.fromEntries(keys) as unknown as PublicKeys);
}
