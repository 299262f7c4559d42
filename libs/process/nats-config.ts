import { isAbsolute } from 'node:path';
import { isAmbiguous, isUserSeed, parseServers, type BusOptions } from '@roster/bus';
import { z } from 'zod';

const file = z.string().trim().refine(isAbsolute, 'must be the absolute path of a file').optional();

/** Environment variables of the connection to NATS. */
export const natsConfig = z.object({
  // Secrets read from files often end with a line break.
  NATS_URL: z
    .string()
    .trim()
    .refine(
      isServerList,
      'must be one or more nats://host:port or tls://host:port, separated by commas, and no server twice with different users',
    )
    .meta({ description: 'nats://user:password@host:port' }),
  /** Seed of the nkey of this program: for servers whose URL has no user. */
  NATS_NKEY_SEED: z
    .string()
    .trim()
    .refine(isUserSeed, 'must be the seed of the nkey of a user (SU…)')
    .optional(),
  NATS_NKEY_SEED_FILE: file,
  /** JWT and seed, as `nsc` writes them. */
  NATS_CREDENTIALS_FILE: file,
  /** PEM files for `tls://`: authorities to trust, certificate of this program and its private key. */
  NATS_CA_FILE: file,
  NATS_CERT_FILE: file,
  NATS_KEY_FILE: file,
});

/** How to authenticate to NATS and which certificates to use, from the environment. A file takes precedence over a value. */
export const natsSecurity = ({
  NATS_NKEY_SEED: nkeySeed,
  NATS_NKEY_SEED_FILE: nkeySeedFile,
  NATS_CREDENTIALS_FILE: credentialsFile,
  NATS_CA_FILE: caFile,
  NATS_CERT_FILE: certFile,
  NATS_KEY_FILE: keyFile,
}: Omit<z.output<typeof natsConfig>, 'NATS_URL'>): Required<
  Pick<BusOptions, 'credentials' | 'tls'>
> => ({
  credentials: { nkeySeed, nkeySeedFile, credentialsFile },
  tls: { caFile, certFile, keyFile },
});

function isServerList(text: string): boolean {
  const servers = parseServers(text);
  return servers !== undefined && !isAmbiguous(servers);
}
