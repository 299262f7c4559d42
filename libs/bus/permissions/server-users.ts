import { programNames, type ProgramName } from '@roster/contracts';
import { nkeys } from 'nats';
import { userKeyOf } from './nkey.js';
import { permissionsOf, type Permissions } from './permissions-of.js';

/** Public nkeys of each program. Several during a rotation. */
export type PublicKeys = Record<ProgramName, readonly string[]>;

/** A user in the configuration of NATS. */
export interface ServerUser {
  nkey: string;
  permissions: Permissions;
}

export const serverUsers = (keys: PublicKeys): ServerUser[] =>
  programNames.flatMap((program) =>
    keys[program].map((nkey) => ({ nkey, permissions: permissionsOf(program) })),
  );

/** The users as the block `users` of the configuration of NATS, which belongs into `authorization`. */
export function printServerUsers(keys: PublicKeys): string {
  const users = programNames.flatMap((program) => [
    `  # ${program}`,
    ...serverUsers({ ...noKeys, [program]: keys[program] }).map((user) =>
      JSON.stringify(user, undefined, 2).replace(/^/gm, '  '),
    ),
  ]);
  return [header, 'users: [', ...users, ']', ''].join('\n');
}

const header =
  '# Printed by `roster nats permissions`. Include it in `authorization` of the configuration of NATS.';

const noKeys = Object.fromEntries(
  programNames.map((program) => [program, []]),
) as unknown as PublicKeys;

export interface KeyPair {
  /** Proves the identity. Secret. */
  seed: string;
  publicKey: string;
}

/** A new nkey of a user. */
export function makeKeyPair(): KeyPair {
  const pair = nkeys.createUser();
  return { seed: Buffer.from(pair.getSeed()).toString(), publicKey: pair.getPublicKey() };
}

/** @throws if the text is not the seed of a user */
export function publicKeyOf(seed: string): string {
  const key = userKeyOf(seed);
  if (!key) throw new Error('This is not the seed of the nkey of a user.');
  return key.publicKey;
}

/** Whether a text is the public nkey of a user. */
export function isPublicKey(text: string): boolean {
  try {
    return text.startsWith('U') && nkeys.fromPublic(text).getPublicKey() === text;
  } catch {
    return false;
  }
}
