import { ClientGone, type HttpContext } from '../exchange.js';
import type { ServerResponse } from 'node:http';
import type { UnreadResponses } from '../connections/unread-responses.js';

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

/**
 * Writes a part of a response, and resolves when the kernel has taken it. The client must read it in the same time as a response of
 * this size; otherwise its connection is ended.
 *
 * @param heldBytes those of its bytes whose memory is not counted elsewhere
 * @throws ClientGone if the connection has ended; errors of the socket
 */
export async function writePart(
  response: ServerResponse,
  part: string,
  unread: UnreadResponses,
  workspaceId: string,
  heldBytes = Buffer.byteLength(part),
): Promise<void> {
  if (response.destroyed) throw new ClientGone();
  const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
  const read = unread.add(response, workspaceId, Buffer.byteLength(part), heldBytes);
  // Node does not call back for a part that is written to a destroyed socket.
  const onClose = () => reject(new ClientGone());
  response.once('close', onClose);
  response.write(part, (error) => (error ? reject(error) : resolve()));
  try {
    await taken;
  } finally {
    response.off('close', onClose);
    read();
  }
}
