import { Fault } from '@roster/contracts';
import type { HttpContext } from '../exchange/exchange.js';
import { hasBody } from './read-body.js';
import { receiveBody } from './receive-body.js';

/** Parameters may be empty: `application/json;`. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6 */
const json = /^application\/json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?)*$/i;

/**
 * Reads the body of an authenticated request that is declared as uncompressed JSON in UTF-8. Empty if the request has none.
 *
 * @throws Fault `unsupported_media_type`, `payload_too_large`
 */
export async function readJsonBytes(ctx: HttpContext, bytesMax: number): Promise<Buffer> {
  const { headers } = ctx.req;
  if (!hasBody(ctx.req)) return Buffer.alloc(0);
  if (!json.test(headers['content-type'] ?? '')) {
    throw new Fault('unsupported_media_type', 'The body must be application/json in UTF-8.');
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Fault('unsupported_media_type', 'The body must not be compressed.');
  }
  return receiveBody(ctx, bytesMax);
}

export const emptyBody = (): Fault =>
  new Fault('invalid_json', 'The body is empty. Send a JSON object.');
