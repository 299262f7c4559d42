import type { ServerResponse } from 'node:http';
import type { HttpContext } from '../exchange/exchange.js';
import { sliceBytes } from './write-part.js';

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
  // Node sends head and body in one write if the body is a string. Latin-1 preserves every byte. Large bodies are excluded,
  // because a string would be copied three times on V8's heap.
  const isJoined = typeof body !== 'string' && bytes <= joinedBytesMax;
  let isUnread = false;
  if (isJoined) res.end(latin1Of(body), 'latin1');
  else if (bytes <= sliceBytes || req.method === 'HEAD') res.end(body);
  else return writeInSlices(res, typeof body === 'string' ? Buffer.from(body) : body, onWritten);
  onWritten();

  function onWritten(): void {
    if (isUnread || req.socket.writableLength === 0 || req.socket.destroyed) return;
    isUnread = true;
    state.unread.add(res, state.caller?.workspaceId ?? '', heldBytes());
  }

  function heldBytes(): number {
    if (req.method === 'HEAD') return 0;
    // A result is a view of the message with all results of its batch, and keeps all of it alive.
    return isJoined || typeof body === 'string' ? bytes : body.buffer.byteLength;
  }
}

/** Writes each slice in a turn of the event loop of its own, when the kernel has taken the one before. */
function writeInSlices(response: ServerResponse, body: Uint8Array, onWritten: () => void): void {
  let end = 0;
  const writeNext = () => {
    if (response.destroyed) return;
    const slice = body.subarray(end, (end += sliceBytes));
    if (end >= body.byteLength) response.end(slice);
    else response.write(slice, () => setImmediate(writeNext));
    // Node passes the slice on at the end of the turn.
    process.nextTick(onWritten);
  };
  writeNext();
}

const latin1Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
