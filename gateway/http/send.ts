import type { HttpContext } from './exchange.js';

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
  ctx.respond = false;
  state.status = status;
  const { headers } = state;
  headers['Content-Type'] = mediaType;
  headers['Content-Length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  res.writeHead(status, headers);
  res.end(body);
}
