import type { FaultCode } from './types.js';

/**
 * Why a call failed: the code of the problem document of the answer, or
 * - `unreachable`: no connection, or one that broke;
 * - `timeout`: no answer in time, also the server's 504;
 * - `unexpected_response`: an answer that is not from Roster, such as a page of a proxy.
 */
export type RosterErrorCode = FaultCode | 'unreachable' | 'unexpected_response' | (string & {});

/** A problem document (RFC 9457). */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code?: string;
  requestId?: string;
  errors?: { pointer: string; message: string }[];
  existingId?: string;
  retryAfterSeconds?: number;
  [member: string]: unknown;
}

/** A call that failed. */
export class RosterError extends Error {
  override readonly name = 'RosterError';
  readonly code: RosterErrorCode;
  /** Status of the answer. 0 without one. */
  readonly status: number;
  /** One sentence for people. */
  readonly detail: string;
  /** The invalid fields of the input, each with a JSON Pointer (RFC 6901). */
  readonly errors: readonly { pointer: string; message: string }[];
  /** ID of the request, as in the log of the server. Empty without an answer. */
  readonly requestId: string;
  /** When to try again, if the server said so. */
  readonly retryAfterSeconds: number | undefined;
  /** ID of the resource that a `conflict` is with. */
  readonly existingId: string | undefined;
  /** The whole document of the answer. */
  readonly problem: Problem;
  /** How often the request was sent. */
  attempts = 1;

  constructor(
    code: RosterErrorCode,
    problem: Problem & { detail: string },
    options?: { cause?: unknown },
  ) {
    const { detail, requestId = '' } = problem;
    super(`${detail} (${code}${requestId && `, ${requestId}`})`, options);
    this.code = code;
    this.status = problem.status ?? 0;
    this.detail = detail;
    this.errors = problem.errors ?? [];
    this.requestId = requestId;
    this.retryAfterSeconds = problem.retryAfterSeconds;
    this.existingId = problem.existingId;
    this.problem = problem;
  }

  is(code: RosterErrorCode): boolean {
    return this.code === code;
  }
}

/** The error of an answer that is not a success. */
export async function errorOf(response: Response): Promise<RosterError> {
  const { status, headers } = response;
  const problem = parse(await response.text());
  const after = headers.get('retry-after');
  const all: Problem = {
    ...problem,
    status,
    detail: problem.detail ?? `The server answered ${status || 'a redirect'} without a reason.`,
    requestId: problem.requestId ?? headers.get('x-request-id') ?? '',
    ...(after !== null && { retryAfterSeconds: secondsOf(after) }),
  };
  const code = problem.code ?? codes[status] ?? 'unexpected_response';
  return new RosterError(code, all as Problem & { detail: string });
}

/** What proxies answer in the place of Roster. */
const codes: Record<number, RosterErrorCode> = {
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'timeout',
};

function parse(text: string): Problem {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Problem) : {};
  } catch {
    return {};
  }
}

/** Retry-After: seconds, or a date. */
function secondsOf(after: string): number {
  const seconds = Number(after);
  if (!Number.isNaN(seconds)) return seconds;
  return Math.max(0, Math.ceil((Date.parse(after) - Date.now()) / 1000)) || 0;
}
