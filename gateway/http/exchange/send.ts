import type { HttpContext } from './exchange.js';

const joinedBytesMax = 4 * 1024;

/**
 * Writes the response to the socket. Koa's own `respond` would determine media type and length of every body again.
 *
 * @param body required for HEAD too: Node omits it, and the headers stay those of GET
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
  // Node sends head and body in one write if the body is a string. Latin-1 preserves every byte. Large bodies are excluded,
  // because a string would be copied three times on V8's heap.
  if (typeof body === 'string' || body.byteLength > joinedBytesMax) res.end(body);
  else res.end(latin1Of(body), 'latin1');
}

const latin1Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
