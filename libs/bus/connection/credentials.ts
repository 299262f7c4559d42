import { readFileSync } from 'node:fs';
import {
  credsAuthenticator,
  ErrorCode,
  NatsError,
  usernamePasswordAuthenticator,
  type Authenticator,
} from 'nats';
import { userKeyOf } from '../permissions/nkey.js';
import type { NatsServer } from './server-list.js';

/** How a program authenticates to servers whose URL has no user. Files are read at every connection. */
export interface NatsCredentials {
  /** Seed of an nkey. NATS knows only its public key. */
  nkeySeed?: string | undefined;
  nkeySeedFile?: string | undefined;
  /** File with a JWT and its seed, as `nsc` writes it. */
  credentialsFile?: string | undefined;
}

/** The variable with the credential that is used. */
export function variableOf({ nkeySeedFile, credentialsFile }: NatsCredentials = {}): string {
  if (credentialsFile !== undefined) return 'NATS_CREDENTIALS_FILE';
  return nkeySeedFile === undefined ? 'NATS_NKEY_SEED' : 'NATS_NKEY_SEED_FILE';
}

/**
 * The authenticator for a server. Files are read now, because the client stops reconnecting if an authenticator throws.
 *
 * @throws if a file cannot be read, or its seed is invalid
 */
export function authenticatorFor(
  { user, password }: NatsServer,
  { nkeySeed, nkeySeedFile, credentialsFile }: NatsCredentials,
): Authenticator {
  if (user !== undefined) return usernamePasswordAuthenticator(user, password);
  if (credentialsFile !== undefined) return credsAuthenticator(readFileSync(credentialsFile));
  const seed = nkeySeedFile === undefined ? nkeySeed : readFileSync(nkeySeedFile, 'utf8').trim();
  if (seed === undefined) return () => undefined;
  const key = userKeyOf(seed);
  if (!key) throw new NatsError('not a user seed', ErrorCode.BadCreds);
  return (nonce) => ({
    nkey: key.publicKey,
    sig: nonce ? key.sign(nonce).toString('base64') : '',
  });
}
