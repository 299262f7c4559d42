/** Why an attempt failed. */
export type ErrorClass =
  | 'refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'status'
  | 'redirect';

/** A failed attempt, with a message for the owner of the webhook. */
export class AttemptError extends Error {
  override readonly name = 'AttemptError';

  constructor(
    readonly errorClass: ErrorClass,
    message: string,
  ) {
    super(message);
  }
}

/** The address cannot be reached from here: nothing was learned about the receiver. */
export const unreachableCodes = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);
const resetCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_ABORTED',
]);

/** Classifies an error of a socket, TLS or undici. */
export function attemptErrorOf(error: unknown, timeoutMs: number): AttemptError {
  if (error instanceof AttemptError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ETIMEDOUT') {
    return new AttemptError('timeout', `No complete response within ${timeoutMs} ms.`);
  }
  if (code === 'ECONNREFUSED')
    return new AttemptError('connect', 'The receiver refused the connection: ECONNREFUSED.');
  if (unreachableCodes.has(code))
    return new AttemptError('connect', `The connection failed: ${code}.`);
  if (resetCodes.has(code)) return closedEarly();
  if (
    /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|EPROTO|HOSTNAME_MISMATCH)/.test(
      code,
    )
  ) {
    return new AttemptError('tls', `The TLS handshake failed: ${code}.`);
  }
  return new AttemptError(
    'protocol',
    `The response could not be read${unreadable(error as NodeJS.ErrnoException)}.`,
  );
}

export const closedEarly = (): AttemptError =>
  new AttemptError('reset', 'The connection was closed before the response was complete.');

function unreadable({ name, code, message }: NodeJS.ErrnoException): string {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return ': its headers are longer than 16 KiB';
  // Only the reason in parentheses, which the parser adds, concerns the response.
  const reason = name === 'HTTPParserError' ? /\((.+)\)$/.exec(message)?.[1] : undefined;
  return reason === undefined ? '' : ` as HTTP/1.1: ${reason}`;
}

/** The maximum number of connections to the address is open: the attempt was not made. */
export class AddressBusy extends Error {
  override readonly name = 'AddressBusy';
  readonly address: string;

  constructor(address: string) {
    super(`too many connections to ${address}`);
    this.address = address;
  }
}
