import { Fault } from '@roster/contracts';
import { isUtf8 } from 'node:buffer';
import type { HttpContext } from '../exchange.js';
import { checkJsonSize, jsonLimits } from './check-json-size.js';
import { hasBody, receiveBody } from './read-body.js';

/** Media types of the body of a PATCH, in the format of `Accept-Patch` (RFC 5789, 3.1). */
export const patchTypes = 'application/json, application/merge-patch+json';

/**
 * Parameters may be empty: `application/json;`. https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6
 * Clients also send `utf8`, which the Encoding standard lists among the names of UTF-8.
 */
const json =
  /^application\/(?<patch>merge-patch\+)?json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?)*$/i;

/**
 * Reads the body of an authenticated request that is declared as uncompressed JSON in UTF-8, or, of a PATCH, as a merge patch
 * (RFC 7396). Empty if the request has none.
 *
 * @param network of a client that needs no key, whose request must have a body
 *
 * @throws Fault `unsupported_media_type`, `payload_too_large`
 */
export async function readJsonBytes(
  ctx: HttpContext,
  bytesMax: number,
  network?: string,
): Promise<Buffer> {
  const { headers, method } = ctx.req;
  if (network === undefined && !hasBody(ctx.req)) return Buffer.alloc(0);
  const isPatch = method === 'PATCH';
  const declared = json.exec(headers['content-type'] ?? '');
  if (!declared || (declared.groups!['patch'] !== undefined && !isPatch)) {
    if (isPatch) ctx.state.headers['Accept-Patch'] = patchTypes;
    const types = `application/json${isPatch ? ' or application/merge-patch+json' : ''}`;
    throw new Fault('unsupported_media_type', `The body must be ${types} in UTF-8.`);
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Fault('unsupported_media_type', 'The body must not be compressed.');
  }
  return receiveBody(ctx, bytesMax, network);
}

export const emptyBody = (): Fault =>
  new Fault('invalid_json', 'The body is empty. Send a JSON object.');

export const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses a request body. The last of duplicate keys takes effect. A byte order mark before it is ignored (RFC 8259, 8.1): editors
 * and shells of Windows write one.
 *
 * @throws Fault `invalid_json`, `payload_too_large`
 */
export function parseJson(bytes: Buffer, valuesMax = jsonLimits.ordinary.valuesMax): unknown {
  const hasMark = bytes[0] === byteOrderMark[0] && byteOrderMark.equals(bytes.subarray(0, 3));
  const body = hasMark ? bytes.subarray(byteOrderMark.length) : bytes;
  if (!isUtf8(body)) throw new Fault('invalid_json', 'The body is not valid UTF-8.');
  checkJsonSize(body, valuesMax);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    // V8's message quotes the body.
    const at = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new Fault(
      'invalid_json',
      `The body is not valid JSON${at === undefined ? '' : ` (at character ${at})`}.`,
    );
  }
}
