import { ErrorCode, NatsError } from 'nats';
import { JetStreamCode } from './events/jetstream-error.js';

/** NATS is not there, lets nobody in, or cannot do what is asked yet. In one line, for whoever runs the process. */
export class NatsTrouble extends Error {
  override readonly name = 'NatsTrouble';
  /** The variable to look at. */
  readonly variable: string;
  /** Whether it may pass without anybody's doing. */
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

/** Of a connection that was not made. */
export function connectTrouble(servers: readonly string[], error: unknown): NatsTrouble {
  const { code = '', message } = rootOf(error);
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

/** The client's code, "refused", for a socket that ended without an error. Of one that was refused, the socket's is known. */
const closed = codes(ErrorCode.ConnectionRefused);

/** By the codes of the client, and those of Node's sockets, that it passes on. */
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
  [
    codes(
      ErrorCode.AuthorizationViolation,
      ErrorCode.AuthenticationExpired,
      ErrorCode.AccountExpired,
      ErrorCode.BadAuthentication,
    ),
    'rejects the user name or password',
    'correct them',
  ],
  // Of OpenSSL there are many.
  [
    /CERT|SIGNATURE/,
    'has an untrusted certificate',
    'set NODE_EXTRA_CA_CERTS to its certificate authority',
  ],
  [
    codes(ErrorCode.ServerOptionNotAvailable),
    'does not support TLS',
    'enable TLS on the server, or use nats:// instead of tls://',
  ],
];

function codes(...all: string[]): RegExp {
  return new RegExp(`^(${all.join('|')})$`);
}

/**
 * Of what was asked of JetStream at boot: a cluster that has only just started makes no stream yet. Undefined for errors that
 * are none of NATS.
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

/** The client wraps what the socket threw, and sometimes throws nothing at all. */
function rootOf(error: unknown): Coded {
  const { chainedError } = (error ?? {}) as { chainedError?: Coded };
  return chainedError?.code ? chainedError : ((error as Coded) ?? { message: 'connection closed' });
}
