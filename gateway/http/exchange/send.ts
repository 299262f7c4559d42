import type { HttpContext } from './exchange.js';

const joinedBytesMax = 4 * 1024;

/**
 * Answers, straight to the socket: Koa's own way would look up the media type and the length of every body again.
 *
 * @param body for HEAD too: Node leaves it out, and the headers stay those of GET
 */
export function send(
  ctx: HttpContext,
  status: number,
  mediaType: string,
  body: Uint8Array | string,
): void {
  const { res, state } = ctx;
  state.status = status;
  const { headers } = state;
  headers['Content-Type'] = mediaType;
  headers['Content-Length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  res.writeHead(status, headers);
  // One write for head and body: Node joins them when the body is a string. Latin-1 keeps every byte as it is. A large body
  // would be copied three times on V8's heap.
  if (typeof body === 'string' || body.byteLength > joinedBytesMax) res.end(body);
  else res.end(latin1Of(body), 'latin1');
}

const latin1Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
