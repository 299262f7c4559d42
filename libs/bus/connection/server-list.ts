/** A server of the list in `NATS_URL`. */
export interface NatsServer {
  hostname: string;
  port: number;
  /** `tls://`: no connection without TLS. */
  isSecure: boolean;
  user?: string;
  password?: string;
}

const defaultPort = 4222;

/**
 * The user of the first server applies to those without one, except where that would send its password without TLS although
 * the first server requires TLS.
 *
 * @param list URLs, separated by commas
 * @returns undefined if one is invalid
 */
export function parseServers(list: string): NatsServer[] | undefined {
  const servers: NatsServer[] = [];
  for (const part of list.split(',')) {
    const url = URL.parse(part.trim());
    if (!url || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '') return undefined;
    servers.push(serverOf(url));
  }
  const [first] = servers;
  return servers.map((server) =>
    server.user === undefined && (server.isSecure || !first!.isSecure)
      ? { ...first, ...server }
      : server,
  );
}

function serverOf({ protocol, hostname, port, username, password }: URL): NatsServer {
  return {
    hostname: hostname.replace(/^\[|\]$/g, '').toLowerCase(),
    port: port === '' ? defaultPort : Number(port),
    isSecure: protocol === 'tls:',
    ...(username && {
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }),
  };
}

/** `host:port`, as NATS and errors name it. */
export const addressOf = ({ hostname, port }: Pick<NatsServer, 'hostname' | 'port'>): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;

/** Whether the list names a server twice with different credentials: which apply would be undefined. */
export const isAmbiguous = (servers: readonly NatsServer[]): boolean =>
  servers.some((one) =>
    servers.some((other) => addressOf(one) === addressOf(other) && !isAlike(one, other)),
  );

/** Whether the same credentials are sent to both, and both with TLS or both without. */
export const isAlike = (one: NatsServer, other: NatsServer): boolean =>
  one.isSecure === other.isSecure && one.user === other.user && one.password === other.password;
