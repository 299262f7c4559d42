import { Fault } from '@roster/contracts';
import { receiveBody } from '../../http/body/read-body.js';
import type { HttpContext } from '../../http/exchange/exchange.js';

const bodyBytesMax = 8 * 1024;
const form = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(?:;|$)/i;

/**
 * Requires the body `List-Unsubscribe=One-Click` (RFC 8058, 3.2), which email clients send as either type of form. Programs that
 * send an empty POST to each address of an email do not unsubscribe its reader.
 *
 * @param network of the client
 *
 * @throws Fault `unsupported_media_type`, `payload_too_large`, `invalid`
 */
export async function readOneClick(ctx: HttpContext, network: string): Promise<void> {
  const type = ctx.req.headers['content-type'] ?? '';
  if (!form.test(type))
    throw new Fault(
      'unsupported_media_type',
      'The body must be multipart/form-data or application/x-www-form-urlencoded.',
    );
  const body = await receiveBody(ctx, bodyBytesMax, network);
  const fields = await new Response(body, { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => undefined);
  if (fields?.get('List-Unsubscribe') !== 'One-Click')
    throw new Fault('invalid', 'The body must contain List-Unsubscribe=One-Click.');
}
