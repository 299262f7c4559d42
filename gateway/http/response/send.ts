import type { HttpContext } from '../exchange/exchange.js';

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
  const { req, res, state } = ctx;
  state.status = status;
  const { headers } = state;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  headers['Content-Type'] = mediaType;
  headers['Content-Length'] = bytes;
  res.writeHead(status, headers);
  // A result is a view of the message with all results of its batch, and keeps all of it alive.
  let heldBytes = typeof body === 'string' ? bytes : body.buffer.byteLength;
  if (typeof body === 'string' || bytes > joinedBytesMax) res.end(body);
  else {
    // Node sends head and body in one write if the body is a string. Latin-1 preserves every byte. Large bodies are excluded,
    // because a string would be copied three times on V8's heap.
    res.end(Buffer.from(body.buffer, body.byteOffset, bytes).toString('latin1'), 'latin1');
    heldBytes = bytes;
  }
  if (req.socket.writableLength === 0 || req.socket.destroyed) return;
  state.unread.add(res, state.caller?.workspaceId ?? '', req.method === 'HEAD' ? 0 : heldBytes);
}
