import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Client as UndiciClient } from 'undici';
import { AttemptError, closedEarly } from './attempt-error.js';

/**
 * A file that undici does not document, loaded alone: the other parts of undici (fetch, WebSocket, caches, mocks) use 3 MiB of
 * memory. A test fails if a version lacks it.
 */
export const Client = createRequire(import.meta.url)(
  'undici/lib/dispatcher/client.js',
) as typeof UndiciClient;

/** The parser of a connected socket, which undici does not document either. */
interface Parser {
  readonly ptr: number;
  readonly llhttp: Record<string, (parser: number, enabled: 0 | 1) => void>;
  contentLength: number;
  onHeadersComplete(statusCode: number, upgrade: boolean, shouldKeepAlive: boolean): number;
  createError(code: number, data: Buffer): Error;
}

const { kParser } = createRequire(import.meta.url)('undici/lib/core/symbols.js') as {
  kParser: 'parser';
};

/** Folded header lines, lines that end with LF only, and responses after a 1xx with `Connection: close` or HTTP/1.0. */
export const leniency = [
  'llhttp_set_lenient_headers',
  'llhttp_set_lenient_optional_cr_before_lf',
  'llhttp_set_lenient_keep_alive',
];

export const parserOf = (socket: Socket): Parser =>
  (socket as Socket & Record<typeof kParser, Parser>)[kParser];

/** Makes the parser of a connected socket accept what servers send (RFC 9112), and report why it cannot read the rest. */
export function readLeniently(socket: Socket): void {
  const parser = parserOf(socket);
  for (const option of leniency) parser.llhttp[option]!(parser.ptr, 1);
  const { onHeadersComplete, createError } = parser;
  parser.onHeadersComplete = (statusCode, upgrade, shouldKeepAlive) => {
    if (statusCode < 100 || statusCode === 101) {
      const status = String(statusCode).padStart(3, '0');
      socket.destroy(
        new AttemptError(
          'protocol',
          `The receiver answered ${status}, which is not a final response.`,
        ),
      );
      return -1;
    }
    // The client closes the connection at an unexpected 100, and after a 1xx with `Connection: close`. It skips a 102.
    return statusCode < 200
      ? onHeadersComplete.call(parser, 102, upgrade, true)
      : onHeadersComplete.call(parser, statusCode, upgrade, shouldKeepAlive);
  };
  parser.createError = (code, data) => {
    // There is no more data.
    if (data.length === 0) return closedEarly();
    // A length would make undici report every error as a wrong length.
    parser.contentLength = -1;
    return createError.call(parser, code, data);
  };
}
