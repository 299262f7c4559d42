import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeKeyPair,
  publicKeyOf,
  type BusOptions,
  type PublicKeys,
  isPublicKey,
  printServerUsers,
} from '@roster/bus';
import { programNames } from '@roster/contracts';
import { natsSecurity } from '@roster/process';
import type { LocalConfig } from './config.js';
import { readIfThere, writePrivateFile } from './private-file.js';

/** The file with the seed of a program's nkey. */
export const seedFile = (folder: string, program: string): string => join(folder, `${program}.nk`);

/** The public keys of all programs, from the seeds in a folder. Missing seeds are made, each in a file of its own. */
export function openKeys(folder: string): PublicKeys {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const entries = programNames.map((program) => {
    const file = seedFile(folder, program);
    let seed = readIfThere(file)?.trim();
    if (seed === undefined) {
      ({ seed } = makeKeyPair());
      writePrivateFile(file, `${seed}\n`);
    }
    return [program, [publicKeyOf(seed)]] as const;
  });
  return Object.fromEntries(entries) as unknown as PublicKeys;
}

/** How a program connects to NATS. */
export type NatsConnection = Pick<BusOptions, 'servers' | 'credentials' | 'tls'>;

/**
 * How the command line connects to NATS: as the operator.
 *
 * @param keys folder of the seeds; without it, the environment determines the credentials
 */
export const operatorConnection = (
  { natsUrl, natsKeys }: { natsUrl: string; natsKeys?: string | undefined },
  config: LocalConfig,
): NatsConnection => {
  const { credentials, tls } = natsSecurity(config);
  if (natsKeys !== undefined)
    return { servers: natsUrl, credentials: { nkeySeedFile: seedFile(natsKeys, 'operator') }, tls };
  const { nkeySeedFile, ...others } = credentials;
  // Read once: it may be a pipe.
  const nkeySeed = nkeySeedFile && readFileSync(nkeySeedFile, 'utf8').trim();
  return { servers: natsUrl, credentials: nkeySeed ? { ...others, nkeySeed } : others, tls };
};

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
