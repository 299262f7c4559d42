import { z } from 'zod';
import { publicKeys } from './named-keys.js';
import { isAbsolute } from 'node:path';
import { isAmbiguous, isUserSeed, parseServers, type BusOptions } from '@roster/bus';
import { tracingConfig } from './tracing-config.js';
import { ruleOf } from './variable-rule.js';

/** A boolean environment variable. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1');

/** Texts separated by commas, by default none. */
export const commaList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

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
    .meta({
      description:
        '`nats://user:password@host:port`, separated by commas if several, each with its own user. Otherwise that of the first applies, but never without TLS if the first is `tls://`, which allows no connection without TLS',
      setTo: 'nats://user:password@host:port',
    }),
  NATS_NKEY_SEED: z
    .string()
    .trim()
    .refine(isUserSeed, 'must be the seed of the nkey of a user (SU…)')
    .optional()
    .describe('Seed of the nkey of the program, for servers whose URL has no user'),
  NATS_NKEY_SEED_FILE: file.describe(
    'File that contains the seed. The paths of all files are absolute',
  ),
  NATS_CREDENTIALS_FILE: file.describe('A `.creds` file (JWT and seed), instead of an nkey'),
  NATS_CA_FILE: file.describe(
    'PEM file with the certificate authorities of `tls://` servers, instead of the default ones',
  ),
  NATS_CERT_FILE: file.describe('PEM file with the client certificate'),
  NATS_KEY_FILE: file.describe('PEM file with the private key of the client certificate'),
});

/** Of the processes that make addresses of the gateways. */
export const publicUrlConfig = z.object({
  PUBLIC_URL: z
    .string()
    .transform((text) => text.replace(/\/+$/, ''))
    .refine(isPublicUrl, { error: 'must be a URL such as https://contacts.example.com' })
    .optional()
    .describe(
      'Address of the gateways for recipients of emails and for browsers, such as `https://contacts.example.com`: the start of `unsubscribeUrl`, which is null without it, and of the address to which the OpenID issuer returns. `npm start` sets it to its own address',
    ),
});

/** With a path if a proxy removes it. */
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !/[?#@\s"\\]/.test(text);
}

/** Environment variables of every process. The description of a variable says what to set it to. */
export const processConfig = z.object({
  ...natsConfig.shape,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
  ADMIN_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(9090)
    .describe('Port of `/healthz`, `/readyz` and `/metrics`; 0 selects a free port'),
  ADMIN_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address of `/healthz`, `/readyz` and `/metrics`'),
  CALLER_PUBLIC_KEYS: publicKeys
    .optional()
    .describe(
      '`id:base64` of the public key of `CALLER_SIGNING_KEY`, separated by commas if several. Services then refuse calls without a signed statement about the caller, and no process becomes ready whose list lacks the key that the users service signs with. Without it, gateways refuse browser tokens',
    ),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300_000)
    .default(0)
    .describe(
      'How long to keep serving after SIGTERM while not ready, before requests in flight are completed and the process exits',
    ),
  ...tracingConfig.shape,
});

/** The name of this installation, for processes that show it. */
export const serviceNameConfig = z.object({
  SERVICE_NAME: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
      'must consist of letters, digits and dashes, because it is part of header names',
    )
    .default('Roster')
    .describe(
      'Name in `X-Roster-…` headers, in the realm of 401 responses and in the OpenAPI document. Set the same for all processes that read it',
    ),
});

/** Replicas of the event stream in a NATS cluster, and how long it retains events. */
export const eventStreamConfig = z.object({
  EVENTS_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      'Replicas of the event stream in a NATS cluster. An existing stream is changed by users only: restart it',
    ),
  EVENTS_MAX_AGE_SECONDS: z.coerce
    .number()
    .int()
    .min(600)
    .default(30 * 86_400)
    .describe('How long the stream keeps events'),
});

/**
 * Parses the environment.
 *
 * @throws Error that names every missing or invalid variable, never its value
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  env = process.env,
): z.output<Schema> {
  // An empty value is treated as unset. As a number it would be 0.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw environmentError(schema, result.error, given);
}

/** Describes every missing or invalid variable in a line that says what to do, without its value. */
export function environmentError(
  schema: z.ZodType,
  error: z.ZodError,
  env: NodeJS.ProcessEnv,
): Error {
  const variables = variablesOf(schema);
  const problems = error.issues.map(({ path, message, code }) => {
    const name = path.join('.');
    const variable = variables[name];
    // The variable may be inconsistent with another one and have its default.
    if (code === 'custom') return `  ${name}: ${message}`;
    if (env[name] !== undefined) return `  ${name}: ${(variable && ruleOf(variable)) ?? message}`;
    const setTo = variable?.meta()?.setTo;
    return `  ${name} is missing: set it${typeof setTo === 'string' ? ` to ${setTo}` : ''}`;
  });
  return new Error(`Invalid environment variables:\n${problems.join('\n')}`);
}

const variablesOf = (schema: z.ZodType): Record<string, z.ZodType | undefined> =>
  schema instanceof z.ZodObject ? schema.shape : {};

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
