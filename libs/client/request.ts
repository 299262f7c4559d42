import { errorOf, RosterError } from './roster-error.js';
import { version } from './types.js';

/** The last argument of every method. */
export interface CallOptions {
  /** Ends the call, which throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** How long one attempt may take, with its answer. For files: how long nothing may be transferred. */
  timeoutMs?: number | undefined;
  /** Idempotency key of a write. A random one by default, the same for all attempts of a call. */
  idempotencyKey?: string | undefined;
  /** ETag of the version that a write changes. If the resource has another one, it throws `precondition_failed`. */
  ifMatch?: string | undefined;
}

export interface RosterOptions {
  /** API key or browser token, or a function that returns it: it is asked for each attempt, and again after a 401. */
  apiKey: string | (() => string | Promise<string>);
  /** Such as `https://contacts.example.com`. */
  baseUrl: string;
  /** How long one attempt of a call may take; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** How often a call is sent again; 4 by default. */
  retries?: number | undefined;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Precedes the name of this library in User-Agent, which browsers do not let it set. */
  userAgent?: string | undefined;
}

export interface Request {
  method: string;
  /** Path and query, relative to `/v1/`. */
  path: string;
  /** Media type of the body. */
  type?: string;
  /** The body, called for each attempt. */
  body?: (watch: Watch) => Body;
  /** Whether the body can be read only once. */
  isStream?: boolean;
  timeoutMs?: number;
}

export type Body = string | Blob | ReadableStream<Uint8Array>;

export interface Answered<T> {
  data: T;
  response: Response;
}

/** Aborts an attempt by the signal of its caller, or when nothing happens for too long. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly timeoutMs: number;
  readonly signal = this.#controller.signal;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.timeoutMs = timeoutMs;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#abort);
    this.start();
  }

  /** Starts the timer, or restarts it. */
  start(moreMs = 0): void {
    this.pause();
    if (this.signal.aborted) return;
    // A greater number would be no time at all.
    const ms = Math.min(this.timeoutMs + moreMs, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.fail(timedOut), ms);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.pause();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  fail(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Closes the connection and the source of a file: the rest of the answer is not read. */
  cancel(): void {
    this.end();
    this.#controller.abort();
  }

  /** What the caller is told of a connection that broke. */
  errorOf(cause: unknown, what: string): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (cause instanceof RosterError) return cause;
    const { aborted, reason } = this.signal;
    if (reason === timedOut)
      return new RosterError('timeout', {
        detail: `${what} took longer than ${this.timeoutMs} ms.`,
      });
    if (aborted) return reason;
    return new RosterError(
      'unreachable',
      { detail: `${what} failed: ${messageOf(cause)}.` },
      { cause },
    );
  }

  readonly #abort = () => this.fail(this.#caller!.reason);
}

const timedOut = new Error('timed out');

/** Node says why only in the cause. */
function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { message: reason, code } = (cause ?? {}) as { message?: string; code?: string };
  return reason || code || message;
}

/**
 * Sends a request until it is answered, and the answer is read.
 *
 * @param read reads the answer of a success; ends the watch, unless the answer is read further
 * @throws RosterError; the reason of a signal that aborted
 */
export async function send<T>(
  { apiKey, baseUrl, retries = 4, userAgent, ...settings }: RosterOptions,
  request: Request,
  options: CallOptions = {},
  read: (response: Response, watch: Watch) => Promise<T>,
): Promise<Answered<T>> {
  const { method } = request;
  const { signal, ifMatch } = options;
  const isWrite = method !== 'GET';
  const headers = new Headers({ accept: 'application/json, */*' });
  if (request.type) headers.set('content-type', request.type);
  if (isWrite) headers.set('idempotency-key', options.idempotencyKey ?? newKey());
  if (ifMatch !== undefined) headers.set('if-match', ifMatch);
  // A page that sets it needs a further permission of the server.
  if (!('location' in globalThis))
    headers.set('user-agent', `${userAgent ? `${userAgent} ` : ''}roster-client/${version}`);
  // The key of an attempt that may have been applied: an idempotency key belongs to it.
  let usedKey: string | undefined;
  let failure: unknown;
  let isRenewed = false;
  for (let attempts = 1; ;) {
    signal?.throwIfAborted();
    const key = await keyOf(apiKey);
    if (isWrite && usedKey !== undefined && key !== usedKey) throw failure;
    headers.set('authorization', `Bearer ${key}`);
    const watch = new Watch(
      options.timeoutMs ?? request.timeoutMs ?? settings.timeoutMs ?? 30_000,
      signal,
    );
    const body = request.body?.(watch);
    try {
      signal?.throwIfAborted();
      const response = await (settings.fetch ?? fetch)(
        `${baseUrl.replace(/\/+$/, '')}/v1/${request.path}`,
        {
          method,
          headers,
          redirect: 'manual',
          signal: watch.signal,
          ...(body !== undefined && { body, duplex: 'half' }),
        },
      );
      if (!response.ok) throw await errorOf(response);
      return { data: await read(response, watch), response };
    } catch (error) {
      failure = watch.errorOf(error, `${method} /v1/${request.path.split('?', 1)[0]}`);
      watch.cancel();
    }
    if (!(failure instanceof RosterError)) throw failure;
    failure.attempts = attempts;
    if (request.isStream) throw failure;
    if (failure.status === 401 && typeof apiKey === 'function' && !isRenewed) {
      isRenewed = true;
      continue;
    }
    const waitMs = waitMsOf(failure, attempts);
    if (attempts++ > retries || waitMs === undefined) throw failure;
    if (!unapplied.has(failure.code)) usedKey = key;
    await wait(waitMs, signal);
  }
}

/** Statuses without which no request is sent again. */
const repeated = new Set([0, 429, 502, 503, 504]);
/** Codes of requests that certainly changed nothing. */
const unapplied = new Set(['rate_limited', 'daily_quota_exceeded', 'idempotency_key_in_use']);
const waitMsMax = 60_000;

/** How long to wait until the next attempt: at random, so that many clients do not come back together. */
function waitMsOf(error: RosterError, attempts: number): number | undefined {
  const { status, code, retryAfterSeconds = 0 } = error;
  if (!repeated.has(status) && code !== 'idempotency_key_in_use') return undefined;
  const waitMs = Math.max(
    retryAfterSeconds * 1000,
    Math.random() * Math.min(8000, 500 * 2 ** (attempts - 1)),
  );
  return waitMs > waitMsMax ? undefined : waitMs;
}

/** @throws the reason of the signal */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });

/** `randomUUID` exists on pages of HTTPS only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/** @throws TypeError that does not contain the key, as that of Headers would */
async function keyOf(apiKey: RosterOptions['apiKey']): Promise<string> {
  const key = (typeof apiKey === 'function' ? await apiKey() : apiKey)?.trim();
  if (!/^[!-~]+$/.test(key ?? '')) throw new TypeError('apiKey is not an API key.');
  return key;
}

/** @throws RosterError `unexpected_response` */
export async function readJson(
  response: Response,
  watch: Watch,
  field = '',
): Promise<Record<string, unknown>> {
  const text = await response.text();
  watch.end();
  try {
    const result = JSON.parse(text) as Record<string, unknown>;
    if (Object(field ? result[field] : result) !== (field ? result[field] : result)) throw text;
    return result;
  } catch {
    throw new RosterError('unexpected_response', {
      status: response.status,
      detail: 'The answer is not that of Roster. Is the URL right?',
    });
  }
}
