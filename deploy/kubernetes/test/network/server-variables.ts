import { z, type ZodObject, type ZodType } from 'zod';

import type { Manifests } from '../build/manifests.js';
import { environmentOf } from '../processes/environment.js';
import { namesAndPasswords, type Process } from '../processes/processes.js';
import { addressesIn } from './servers.js';

/** A variable with server addresses. */
export interface ServerVariable {
  name: string;
  /** Undefined for a Secret that is not part of the variant. */
  value: string | undefined;
}

/** Variables that accept any text, and contain no server that the process connects to. */
const others: Record<string, string> = {
  HOST: 'where it listens',
  ADMIN_HOST: 'where it listens',
  NODE_ENV: 'a word',
  TRUSTED_PROXIES: 'addresses that connect to it',
  ALLOWED_ORIGINS: 'origins of web pages that connect to it',
  PUBLIC_URL: 'the address of the gateways in emails and for the OpenID issuer',
  OIDC_CLIENT_ID: 'a name',
  OTEL_SERVICE_NAME: 'a name',
  OIDC_CLIENT_SECRET: 'a password',
  DELIVERY_SOURCE_ADDRESSES: 'addresses that it connects from',
  ...Object.fromEntries(Object.keys(namesAndPasswords).map((name) => [name, 'a password'])),
};

/**
 * The variables with server addresses of a process, whatever their names, including those with a server as their
 * default.
 */
export function serverVariables(
  manifests: Manifests,
  { schema, container }: Pick<Process, 'schema' | 'container'>,
): ServerVariable[] {
  const given = environmentOf(manifests, container);
  const names = namesOfServers(schema);
  return Object.entries(schema.shape).flatMap(([name, variable]) => {
    const found = given.find((one) => one.name === name);
    const isSecret = found !== undefined && found.value === undefined;
    // As processes read the environment: an empty value is unset, and an unset variable has its default.
    const value = isSecret ? undefined : found?.value || defaultOf(variable as ZodType);
    if (!isSecret && value === undefined) return [];
    const leadsSomewhere =
      names.includes(name) || (!(name in others) && addressesIn(value ?? '').length > 0);
    return leadsSomewhere ? [{ name, value }] : [];
  });
}

/** The variables that accept a server address as their value. */
export const namesOfServers = (schema: ZodObject): string[] =>
  Object.entries(schema.shape)
    .filter(([name, variable]) => !(name in others) && takesAddress(variable as ZodType))
    .map(([name]) => name);

const takesAddress = (variable: ZodType): boolean =>
  addressesFor(variable).some((address) => variable.safeParse(address).success);

const schemes = [
  ...['http', 'https', 'ws', 'wss', 'nats', 'tls', 'tcp', 'udp', 'grpc', 'postgres', 'postgresql'],
  ...['mysql', 'mongodb', 'redis', 'rediss', 'amqp', 'amqps', 'kafka', 'smtp', 'smtps', 'ldap'],
];

/** Common forms of addresses, including URLs with the scheme in the variable's description. */
function addressesFor({ description = '' }: ZodType): string[] {
  const own = [...description.matchAll(/([a-z][a-z0-9+.-]*):\/\//g)].map(([, scheme]) => scheme!);
  return [
    'server.example',
    'server.example:4444',
    '192.0.2.1',
    '192.0.2.1:4444',
    ...[...schemes, ...own].flatMap((scheme) => [
      `${scheme}://server.example:4444`,
      `${scheme}://user:password@server.example:4444/name`,
    ]),
  ];
}

function defaultOf(variable: ZodType): string | undefined {
  const schema = z.toJSONSchema(variable, { io: 'input', unrepresentable: 'any' });
  return typeof schema.default === 'string' ? schema.default : undefined;
}
