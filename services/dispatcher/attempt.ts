import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { attemptErrorOf, type ErrorClass } from './attempt-error.js';
import type { Connection, Connections } from './connections.js';
import type { Trigger } from './delivery.js';

/** What one POST of a delivery came to. Times in milliseconds; null where a step did not happen. */
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
  /** The beginning of the answer, as text. */
  responseBody: string;
  retryAfter: string | null;
}

export interface Post {
  url: URL;
  headers: Record<string, string>;
  body: string;
  trigger: Trigger;
  timeoutMs: number;
}

/** How much of an answer is read, and how much of it is kept. */
const readBytesMax = 64 * 1024;
const keptCharactersMax = 4096;

/** This process stops before the outcome is known. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/**
 * POSTs once: one deadline over DNS, connect, TLS, headers and body; no redirect is followed. What the receiver does is an
 * outcome, never an exception.
 *
 * @throws GivenUp
 */
export async function attempt(connections: Connections, post: Post): Promise<Attempt> {
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
  };
  const deadline = AbortSignal.any([AbortSignal.timeout(post.timeoutMs), connections.givenUp]);
  try {
    await exchange(connections, post, deadline, result, started, false);
    judge(result);
  } catch (error) {
    if (connections.givenUp.aborted) throw new GivenUp('stopped during an attempt');
    const { errorClass, message } = deadline.aborted
      ? attemptErrorOf(deadline.reason, post.timeoutMs)
      : attemptErrorOf(error, post.timeoutMs);
    result.errorClass = errorClass;
    result.error = message;
  }
  result.totalMs = round(performance.now() - started);
  return result;
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
  connections: Connections,
  post: Post,
  deadline: AbortSignal,
  result: Attempt,
  started: number,
  fresh: boolean,
): Promise<void> {
  const connection = connections.take(post.url, deadline, fresh);
  let answer: Dispatcher.ResponseData | undefined;
  try {
    answer = await connection.client.request({
      method: 'POST',
      path: post.url.pathname + post.url.search,
      headers: post.headers,
      body: post.body,
      signal: deadline,
    });
    note(result, connection);
    result.firstByteMs = round(performance.now() - started);
    result.statusCode = answer.statusCode;
    result.responseHeaders = shownHeaders(answer.headers);
    result.retryAfter = first(answer.headers['retry-after']);
    const { text, whole } = await readBody(answer, deadline);
    result.responseBody = text;
    if (whole) connections.giveBack(connection);
    else connections.drop(connection);
  } catch (error) {
    note(result, connection);
    connections.drop(connection);
    // A kept-alive connection that the receiver has closed meanwhile says nothing of the receiver: try on a fresh one.
    const stale = connection.reused && !answer && !deadline.aborted;
    if (stale && attemptErrorOf(error, post.timeoutMs).errorClass !== 'timeout') {
      return exchange(connections, post, deadline, result, started, true);
    }
    throw error;
  }
}

function note(result: Attempt, { facts, reused }: Connection): void {
  if (!facts) return;
  result.address = facts.address;
  if (reused) return;
  result.dnsMs = round(facts.dnsMs);
  result.connectMs = round(facts.connectMs);
  result.tlsMs = facts.tlsMs === null ? null : round(facts.tlsMs);
}

const round = (ms: number): number => Math.round(ms * 100) / 100;

/** Reads at most `readBytesMax`; `whole` says whether that was all, and the connection can be used again. */
async function readBody(
  { body, headers }: Dispatcher.ResponseData,
  deadline: AbortSignal,
): Promise<{ text: string; whole: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let whole = true;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    deadline.throwIfAborted();
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > readBytesMax) {
      whole = false;
      break;
    }
  }
  const raw = Buffer.concat(chunks).subarray(0, readBytesMax);
  const plain = decompress(raw, first(headers['content-encoding']) ?? 'identity');
  return { text: printable(plain), whole };
}

/** We ask for no compression; who compresses all the same gets no more than our bound out of it. */
function decompress(raw: Buffer, encoding: string): Buffer {
  const zlib = { maxOutputLength: readBytesMax, finishFlush: constants.Z_SYNC_FLUSH };
  const brotli = { maxOutputLength: readBytesMax, finishFlush: constants.BROTLI_OPERATION_FLUSH };
  const decoders: Record<string, (data: Buffer) => Buffer> = {
    gzip: (data) => gunzipSync(data, zlib),
    'x-gzip': (data) => gunzipSync(data, zlib),
    deflate: (data) => inflateSync(data, zlib),
    br: (data) => brotliDecompressSync(data, brotli),
  };
  const decode = decoders[encoding.trim().toLowerCase()];
  if (!decode || raw.length === 0) return raw;
  try {
    return decode(raw);
  } catch {
    return Buffer.from('(compressed, and not readable within 64 KiB)');
  }
}

/** PostgreSQL keeps no NUL, and half a character at the cut is none. */
const printable = (bytes: Buffer): string =>
  bytes.toString('utf8', 0, keptCharactersMax).replaceAll('\0', '\u2400');

const secretHeaders = new Set([
  'set-cookie',
  'authorization',
  'proxy-authenticate',
  'www-authenticate',
]);
const headersMax = 50;

function shownHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers).slice(0, headersMax)) {
    shown[name] = secretHeaders.has(name)
      ? '(redacted)'
      : (first(value) ?? '').slice(0, 1024).replaceAll('\0', '\u2400');
  }
  return shown;
}

const first = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value.join(', ') : value) ?? null;
