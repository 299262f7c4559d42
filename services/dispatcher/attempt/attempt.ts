import type { attemptTriggers } from '@roster/contracts';
import { AddressBusy, AttemptError, attemptErrorOf, type ErrorClass } from './attempt-error.js';
import type { Connection } from './connection.js';
import { ProxyUnusable } from './egress-proxy.js';
import type { ReceiverConnections, MayConnect } from './receiver-connections.js';

export type Trigger = (typeof attemptTriggers)[number];

/** The result of one request of a delivery. Durations in milliseconds; null for steps that did not happen. */
export interface Attempt {
  trigger: Trigger;
  /** ISO 8601. */
  startedAt: string;
  address: string | null;
  statusCode: number | null;
  errorClass: ErrorClass | null;
  error: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
  responseHeaders: Record<string, string>;
  /** The beginning of the response body, as text. */
  responseBody: string;
  retryAfter: string | null;
  /** Of the request that caused the event, if it was traced. */
  traceId?: string;
}

export interface Post {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** Removed from the response before it is kept: a receiver may return what it received. */
  secrets?: readonly string[];
  trigger: Trigger;
  traceId?: string | undefined;
  timeoutMs: number;
  mayConnect?: MayConnect;
}

/** This process stops before the result is known. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/**
 * Sends one request, with one deadline for DNS, connection, TLS, headers and body. Redirects are not followed. A failure of the
 * receiver is a result, not an exception.
 *
 * @throws GivenUp when `ReceiverConnections.interrupt` ended it with that; AddressBusy before anything was sent; ProxyUnusable if the
 *   egress proxy failed, or may have: the receiver may have got the request
 */
export async function attempt(connections: ReceiverConnections, post: Post): Promise<Attempt> {
  const started = performance.now();
  const result: Attempt = {
    trigger: post.trigger,
    startedAt: new Date().toISOString(),
    address: null,
    statusCode: null,
    errorClass: null,
    error: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 0,
    responseHeaders: {},
    responseBody: '',
    retryAfter: null,
    ...(post.traceId !== undefined && { traceId: post.traceId }),
  };
  try {
    await exchange(connections, post, result, started);
    judge(result);
    connections.proxy?.answered(post.url.host);
  } catch (error) {
    if (notMade.some((kind) => error instanceof kind)) throw error;
    const { errorClass, message } = attemptErrorOf(error, post.timeoutMs);
    await connections.proxy?.judge(errorClass, post.url.host);
    result.errorClass = errorClass;
    result.error = message;
  }
  result.totalMs = round(performance.now() - started);
  if (post.secrets?.length) redact(result, post.secrets);
  return result;
}

/** Errors of attempts without a result. */
const notMade = [GivenUp, AddressBusy, ProxyUnusable];

/** The longest are removed first: one may be a part of another. */
function redact(result: Attempt, secrets: readonly string[]): void {
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    result.responseBody = withoutEnd(result.responseBody.replaceAll(secret, redacted), secret);
    for (const [name, value] of Object.entries(result.responseHeaders))
      result.responseHeaders[name] = withoutEnd(value.replaceAll(secret, redacted), secret);
  }
}

const redacted = '(redacted)';

/** A text that was cut may end with the beginning of a secret. */
function withoutEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= 4; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + redacted;
  return text;
}

function judge(result: Attempt): void {
  const status = result.statusCode!;
  if (status >= 200 && status < 300) return;
  const redirect = status >= 300 && status < 400;
  result.errorClass = redirect ? 'redirect' : 'status';
  result.error = redirect
    ? `The receiver answered ${status}: redirects are not followed.`
    : `The receiver answered ${status}.`;
}

async function exchange(
  connections: ReceiverConnections,
  { url, headers, body, timeoutMs, mayConnect }: Post,
  result: Attempt,
  started: number,
): Promise<void> {
  const message = { path: url.pathname + url.search, headers, body };
  let connection = connections.acquire(url, mayConnect);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    connection.end(new AttemptError('timeout', `No complete response within ${timeoutMs} ms.`));
  }, timeoutMs);
  try {
    const whole = await connection.exchange(message).catch((error: Error) => {
      // The receiver may close an idle connection at any time, which is no failure: send again on a new connection.
      const isStale = connection.reused && !connection.answer && !isLate;
      if (!isStale || error instanceof GivenUp) throw error;
      connections.drop(connection);
      connection = connections.open(url, mayConnect);
      return connection.exchange(message);
    });
    note(result, connection, started);
    if (whole) connections.giveBack(connection);
    else connections.drop(connection);
  } catch (error) {
    note(result, connection, started);
    connections.drop(connection);
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

function note(result: Attempt, { facts, reused, answer }: Connection, started: number): void {
  if (facts) {
    result.address = facts.address;
    if (!reused) {
      result.dnsMs = round(facts.dnsMs);
      result.connectMs = round(facts.connectMs);
      result.tlsMs = facts.tlsMs === null ? null : round(facts.tlsMs);
    }
  }
  if (answer) {
    result.firstByteMs = round(answer.firstByteAt - started);
    result.statusCode = answer.statusCode;
    result.responseHeaders = answer.headers;
    result.responseBody = answer.text;
    result.retryAfter = answer.retryAfter;
  }
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
