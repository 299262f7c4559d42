import { parse, toClientConfig } from 'pg-connection-string';
import type { ClientConfig } from 'pg';

/** The address of a database, parsed from a `postgres://` URL. */
export interface DatabaseAddress {
  /** Tried in this order. Usually one. */
  hosts: { host: string; port: number }[];
  /** Only a server that accepts writes is used; a standby is skipped. */
  writable: boolean;
  database: string;
  /** Time limit to connect to one server. */
  connectMs: number;
  /** User, password, TLS and settings, which apply to all hosts. */
  client: ClientConfig;
}

/** An invalid URL. The message contains no part of it. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

const shape = /^postgres(?:ql)?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?<rest>[/?#].*)?$/s;
const defaultPort = 5432;
const defaultConnectMs = 3000;

/** URL parameters that the driver supports and that affect only the connection. */
const settings = [
  'ssl',
  'sslnegotiation',
  'application_name',
  'fallback_application_name',
  'options',
  'client_encoding',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
] as const;

const milliseconds = {
  accepts: /^\d{1,9}$/,
  remedy: 'write whole milliseconds, without a unit; 0 sets no limit',
};

/** Parameters that the driver would misinterpret, or pass to a timer unchecked. */
const checked: Record<string, { accepts: RegExp; remedy: string }> = {
  connect_timeout: { accepts: /^\d{1,5}(\.\d+)?$/, remedy: 'write seconds, from 0 to 99999' },
  sslmode: {
    accepts: /^(disable|prefer|require|verify-ca|verify-full|no-verify)$/,
    remedy: 'write disable, prefer, require, verify-ca, verify-full or no-verify',
  },
  ssl: { accepts: /^(true|1|false|0)$/, remedy: 'write true or false, or use sslmode' },
  sslnegotiation: { accepts: /^(postgres|direct)$/, remedy: 'write postgres or direct' },
  statement_timeout: milliseconds,
  lock_timeout: milliseconds,
  idle_in_transaction_session_timeout: milliseconds,
  query_timeout: milliseconds,
};

/**
 * Parses `postgres://user:password@host:port,host:port/database?…`. Several hosts are servers of one cluster, of which the
 * one that accepts writes is used, as with `target_session_attrs=read-write` in libpq. With `any`, the first reachable one is
 * used.
 *
 * @throws AddressError
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const { user, hosts: list = '', rest = '' } = shape.exec(url)?.groups ?? {};
  if (!shape.test(url))
    throw new AddressError('must be postgres://user:password@host:port/database');
  const names = list.split(',');
  if (names.length > 1 && names.includes(''))
    throw new AddressError('has an empty host in its list: write host:port, several by commas');
  const hosts = names.map(readHost);
  const parameters = Object.fromEntries(new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1]));
  for (const [name, { accepts, remedy }] of Object.entries(checked)) {
    const value = parameters[name];
    if (value !== undefined && !accepts.test(value))
      throw new AddressError(`has a ${name} that is not valid: ${remedy}`);
  }
  const at = user === undefined ? '' : `${user}@`;
  const parsed = readParameters(`postgres://${at}${names[0]}${rest}`);
  if (!parsed.database)
    throw new AddressError('has no database name: append /database before any parameters');
  // A parameter may contain the host, such as the directory of a socket.
  if (hosts.length === 1) hosts[0] = { host: parsed.host ?? '', port: parsed.port ?? defaultPort };
  const client: ClientConfig = Object.fromEntries(
    settings.filter((name) => name in parsed).map((name) => [name, parsed[name]]),
  );
  const connectSeconds = Number(parameters['connect_timeout'] ?? 0);
  if (parsed.user) client.user = parsed.user;
  if (parsed.password) client.password = parsed.password;
  return {
    hosts,
    writable: writableOf(parsed.target_session_attrs, hosts.length),
    database: parsed.database,
    // In libpq, 0 means no limit. Here every connection attempt has one.
    connectMs: connectSeconds > 0 ? connectSeconds * 1000 : defaultConnectMs,
    client,
  };
}

function readHost(text: string): { host: string; port: number } {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text) ?? [];
  const number = Number(port || defaultPort);
  if ((host === '' && text !== '') || number < 1 || number > 65_535)
    throw new AddressError('has an invalid host or port: use host:port, separated by commas');
  return { host: decodeURIComponent(host.replace(/^\[(.*)\]$/, '$1')), port: number };
}

function readParameters(url: string): ClientConfig & { target_session_attrs?: string } {
  try {
    return toClientConfig(parse(url));
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    // The error concerns a certificate file.
    if (path) throw new AddressError(`refers to a file that cannot be read (${code}): ${path}`);
    throw new AddressError(
      'cannot be parsed: percent-encode the user name and password, and use only parameters that node-postgres supports',
    );
  }
}

function writableOf(attributes: string | undefined, hosts: number): boolean {
  if (attributes === undefined) return hosts > 1;
  if (attributes === 'any') return false;
  if (attributes === 'read-write' || attributes === 'primary') return true;
  throw new AddressError('has an unsupported target_session_attrs: use read-write, primary or any');
}
