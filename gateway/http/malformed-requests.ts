import type { SlotTable } from '@roster/bus';
import type { Log } from '@roster/process';
import { once } from 'node:events';
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { PipelinedRequests } from './connections/pipelined-requests.js';
import { makeRequestId } from './trace.js';
import type { HttpObserver } from './observation.js';
import { type RefusalCode, refusalStatus, type RefusalWriter } from './refusal.js';

const details = {
  bad_request: 'The request is not valid HTTP/1.1.',
  request_timeout: 'The complete request was not received in time.',
  request_header_fields_too_large: 'The request headers are too large.',
  payload_too_large: 'The chunk extensions of the body are too large.',
  method_not_allowed: 'CONNECT is not supported.',
  rate_limited: 'Too many requests were sent.',
  unavailable: 'The server is shutting down.',
} satisfies Partial<Record<RefusalCode, string>>;

export type Malformation = keyof typeof details;

const malformations: Record<string, Malformation> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'request_header_fields_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};

/** Classifies an error of Node's HTTP parser. */
export const malformationOf = ({ code }: NodeJS.ErrnoException): Malformation =>
  malformations[code ?? ''] ?? 'bad_request';

/** `uri-host [ ":" port ]`. https://www.rfc-editor.org/rfc/rfc9110#section-7.2 */
const hostShape = /^(?:\[[\da-f:.v]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i;

/** Whether a request has exactly one valid `Host` header. https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
export function hasValidHost({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersionMinor === 0;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 && hostShape.test(host);
}

/** Time for the client to read the response before the connection is destroyed. */
const lingerMs = 1000;

interface Parts {
  refusals: RefusalWriter;
  log: Log;
  observer: HttpObserver;
  inFlight: SlotTable<ServerResponse>;
  pipelined: PipelinedRequests;
}

/** Rejects requests that are not valid HTTP, and closes their connections. */
export class MalformedRequests {
  readonly #parts: Parts;
  /** Rejected connections: Node reports the bytes after a malformed request as malformed, too. */
  readonly #ending = new WeakSet<Duplex>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Rejects a request that Node could parse. */
  answer(response: ServerResponse, code: Malformation): void {
    const { status, headers, body } = refusalOf(code, details[code], this.#parts.refusals);
    response.writeHead(status, headers).end(body);
    this.#observe(status, details[code]);
  }

  /**
   * Writes a refusal to a connection on which no request could be parsed, and ends the connection. Waits for the responses to
   * earlier requests, because clients match responses to requests by order.
   */
  async end(
    socket: Duplex,
    code: Malformation,
    detail = details[code],
    retryAfterSeconds?: number,
  ): Promise<void> {
    if (this.#ending.has(socket)) return;
    this.#ending.add(socket);
    socket.on('error', () => socket.destroy());
    const { inFlight, pipelined } = this.#parts;
    await answersBefore(socket, [...inFlight.items(), ...pipelined.of(socket)]);
    if (socket.writableEnded) return;
    if (!socket.writable || socket.destroyed) {
      socket.destroy();
      return;
    }
    const { status, headers, body } = refusalOf(code, detail, this.#parts.refusals);
    if (retryAfterSeconds !== undefined) headers['Retry-After'] = retryAfterSeconds;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
        `Date: ${new Date().toUTCString()}\r\n${lines.join('')}\r\n${body}`,
    );
    // Destroyed immediately, the connection of a client that is still sending would be reset before it reads the response.
    setTimeout(() => socket.destroy(), lingerMs).unref();
    this.#observe(status, detail);
  }

  #observe(status: number, reason: string): void {
    const { log, observer } = this.#parts;
    log.info({ status, reason }, 'rejected a malformed request');
    observer.answered('none', status, 0);
  }
}

/** Resolves when all complete requests of a connection have been answered, or the connection is closed. */
async function answersBefore(socket: Duplex, responses: readonly ServerResponse[]): Promise<void> {
  const before = responses.filter(({ req }) => req.socket === socket && req.complete);
  if (before.length === 0 || socket.destroyed) return;
  const closed = once(socket, 'close');
  await Promise.race([closed, Promise.all(before.map((response) => once(response, 'close')))]);
}

function refusalOf(
  code: Malformation,
  detail: string,
  { mediaType, bodyOf }: RefusalWriter,
): { status: number; headers: OutgoingHttpHeaders; body: string } {
  const requestId = makeRequestId();
  const body = bodyOf(code, detail, requestId);
  const headers = {
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(code === 'method_not_allowed' && { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' }),
    Connection: 'close',
  };
  return { status: refusalStatus[code], headers, body };
}
