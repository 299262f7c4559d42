import { http } from '@roster/service';
import type { Socket } from 'node:net';
import { refusalStatus, type RefusalCode } from '../refusal/refusal-status.js';
import type { RefusalWriter } from '../refusal/refusal-writer.js';
import { makeRequestId } from '../exchange/trace.js';

const details = {
  bad_request: 'The request is not valid HTTP/1.1.',
  request_timeout: 'The complete request was not received in time.',
  request_header_fields_too_large: 'The request headers are too large.',
  payload_too_large: 'The chunk extensions of the body are too large.',
  method_not_allowed: 'CONNECT is not supported.',
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

/** Time for the client to read the response before the connection is destroyed. */
const lingerMs = 1000;

/**
 * Writes a refusal to a connection on which no request could be parsed, and ends the connection.
 *
 * @returns the status, or undefined if the connection is no longer writable
 */
export function answerMalformed(
  socket: Socket,
  code: Malformation,
  { mediaType, bodyOf }: RefusalWriter,
): number | undefined {
  if (socket.writableEnded) return undefined;
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return undefined;
  }
  const requestId = makeRequestId();
  const body = bodyOf(code, details[code], requestId);
  const status = refusalStatus[code];
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n` +
      `Date: ${new Date().toUTCString()}\r\n` +
      `Content-Type: ${mediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\n` +
      'Cache-Control: no-store\r\n' +
      'X-Content-Type-Options: nosniff\r\n' +
      (code === 'method_not_allowed' ? 'Allow: GET, HEAD, POST, PUT, DELETE\r\n' : '') +
      'Connection: close\r\n\r\n' +
      body,
  );
  // Destroyed immediately, the connection of a client that is still sending would be reset before it reads the response.
  setTimeout(() => socket.destroy(), lingerMs).unref();
  return status;
}
