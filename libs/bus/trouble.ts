import { ErrorCode, NatsError } from 'nats';

/** NATS is unreachable, rejects the credentials, or cannot serve a request yet. The message is one line for the operator. */
export class NatsTrouble extends Error {
  override readonly name = 'NatsTrouble';
  /** The variable to correct. */
  readonly variable: string;
  /** Whether the problem may resolve without intervention. */
  readonly passing: boolean;

  constructor({ what, remedy, variable = 'NATS_URL', passing = false }: Trouble, cause: unknown) {
    super(`${what}: ${remedy}.`, { cause });
    this.variable = variable;
    this.passing = passing;
  }
}

interface Trouble {
  what: string;
  remedy: string;
  variable?: string;
  passing?: boolean;
}

/**
 * Describes a failed connection attempt.
 *
 * @param hasUser whether a URL has a user name and a password
 */
export function connectTrouble(
  servers: readonly string[],
  error: unknown,
  hasUser: boolean,
): NatsTrouble {
  const { code = '', message } = rootOf(error);
  if (unread.test(code) || (rejected.test(code) && !hasUser))
    return new NatsTrouble(credentialsTrouble(servers, code, message), error);
  const [what, remedy, passing] = connecting.find(([shape]) => shape.test(code))?.slice(1) ?? [
    'cannot be used',
    'correct the URL, or the server',
  ];
  const detail = closed.test(code) ? '' : ` (${code || message})`;
  return new NatsTrouble(
    {
      what: `NATS at ${servers.join(', ')} ${String(what)}${detail}`,
      remedy: String(remedy),
      passing: passing === true,
    },
    error,
  );
}

/**
 * The client's code CONNECTION_REFUSED means a socket that closed without an error. A refused connection has the socket's
 * code.
 */
const closed = codes(ErrorCode.ConnectionRefused);

/** A file of credentials or certificates that cannot be used. */
const unread = codes('ENOENT', 'EACCES', 'EISDIR', ErrorCode.BadCreds, ErrorCode.Tls);
const rejected = codes(
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  ErrorCode.AccountExpired,
  ErrorCode.BadAuthentication,
);

/** For programs without a user name in the URL. */
const credentialsTrouble = (servers: readonly string[], code: string, message: string): Trouble =>
  rejected.test(code)
    ? {
        variable: 'NATS_NKEY_SEED',
        what: `NATS at ${servers.join(', ')} rejects the nkey or the credentials (${code})`,
        remedy: 'set the seed of this program, or add its public key to the configuration of NATS',
      }
    : {
        variable: 'NATS_*_FILE',
        what: `the credentials or certificates for NATS at ${servers.join(', ')} cannot be used (${message || code})`,
        remedy: 'correct the file',
      };

/** By error codes of the client and of Node's sockets. */
const connecting: [code: RegExp, what: string, remedy: string, passing?: boolean][] = [
  [codes('ECONNREFUSED'), 'refuses the connection', 'start it, or correct host and port', true],
  [codes('ENOTFOUND', 'EAI_AGAIN'), 'has no address', 'start it, or correct the host', true],
  [
    codes(
      ErrorCode.Timeout,
      ErrorCode.ConnectionTimeout,
      ErrorCode.AuthenticationTimeout,
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENETUNREACH',
    ),
    'does not answer',
    'start it, or correct host and port',
    true,
  ],
  [closed, 'closed the connection without a greeting', 'start it, or correct host and port', true],
  [
    codes('ECONNRESET', 'EPIPE'),
    'closed the connection',
    'start it, or correct host and port',
    true,
  ],
  [rejected, 'rejects the user name or password', 'correct them'],
  // OpenSSL has many such codes.
  [
    /CERT|SIGNATURE/,
    'has an untrusted certificate',
    'set NATS_CA_FILE to its certificate authority',
  ],
  [
    codes(ErrorCode.ServerOptionNotAvailable),
    'does not support TLS',
    'enable TLS on the server, or use nats:// instead of tls://',
  ],
];

/** The first version that finds a message by its time without a consumer. */
const versionMin = [2, 11] as const;

/** Undefined if the version of the server is supported. */
export function versionTrouble(server: string, version = ''): NatsTrouble | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = versionMin;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return undefined;
  return new NatsTrouble(
    {
      what: `NATS at ${server} has the version ${version}`,
      remedy: `update it to ${versionMin.join('.')} or later`,
    },
    undefined,
  );
}

function codes(...all: string[]): RegExp {
  return new RegExp(`^(${all.join('|')})$`);
}

/**
 * Error codes of the JetStream API, by their names in the server without `JS` and `Err`. The client does not export them.
 * https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
export enum JetStreamCode {
  ClusterNoPeers = 10005,
  ConsumerNotFound = 10014,
  NoMessageFound = 10037,
  NotEnabledForAccount = 10039,
  StreamNotFound = 10059,
  StreamReplicasNotSupported = 10074,
  NotEnabled = 10076,
}

/** Whether JetStream rejected a request with this error. */
export const isRefusal = (error: unknown, code: JetStreamCode): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code;

/**
 * Describes a failed JetStream request at boot: a cluster that has just started cannot create streams yet. Undefined for
 * errors that do not come from NATS.
 */
export function streamTrouble(error: unknown): NatsTrouble | undefined {
  if (error instanceof NatsTrouble) return error;
  if (!(error instanceof NatsError)) return undefined;
  const { api_error: refusal } = error;
  const known = refusals[refusal?.err_code ?? 0];
  if (known) return new NatsTrouble(known, error);
  return new NatsTrouble(
    {
      what: `JetStream cannot store the events yet (${refusal?.description ?? error.message})`,
      remedy: 'wait until the NATS cluster is ready, or check its log',
      passing: true,
    },
    error,
  );
}

const refusals: Record<number, Trouble> = {
  [JetStreamCode.ClusterNoPeers]: {
    variable: 'EVENTS_REPLICAS',
    what: 'JetStream has fewer ready servers than the stream has replicas',
    remedy: 'start them, or lower it',
    passing: true,
  },
  [JetStreamCode.StreamReplicasNotSupported]: {
    variable: 'EVENTS_REPLICAS',
    what: 'this NATS server is not in a cluster and supports only one replica',
    remedy: 'set it to 1, or set NATS_URL to the servers of a cluster',
  },
  [JetStreamCode.NotEnabledForAccount]: {
    what: 'JetStream is not enabled for this account',
    remedy: 'enable it for the account',
  },
  [JetStreamCode.NotEnabled]: {
    what: 'JetStream is not enabled on this NATS server',
    remedy: 'enable it',
  },
};

interface Coded {
  code?: string;
  message: string;
}

/** The client wraps socket errors, and sometimes rejects without an error. */
function rootOf(error: unknown): Coded {
  const { chainedError } = (error ?? {}) as { chainedError?: Coded };
  return chainedError?.code ? chainedError : ((error as Coded) ?? { message: 'connection closed' });
}

/** A publish or a subscription that the permissions of the NATS user do not allow. */
export class NatsDenial extends Error {
  override readonly name = 'NatsDenial';

  constructor(operation: 'publish' | 'subscription', subject: string) {
    const what = operation === 'publish' ? 'publishing to' : 'the subscription to';
    super(`NATS denies ${what} ${permissionFor(subject)}`);
  }
}

/** Subjects with variable parts are shown as permissions name them, so that few different messages are logged. */
const variable = ['_INBOX.', '$JS.ACK.', 'events.'];

function permissionFor(subject: string): string {
  const prefix = variable.find((start) => subject.startsWith(start));
  return prefix === undefined ? subject : `${prefix}>`;
}
