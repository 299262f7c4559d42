import { steadyNow } from '@roster/bus';
import { clientAddress } from '../http/connections/client-address.js';
import { authenticate } from '../http/callers/authenticate.js';
import type { HttpContext } from '../http/exchange/exchange.js';
import type { RequestContext } from '../operations/operation-client.js';
import type { RestOptions } from './rest-options.js';

/**
 * Of a call that is made long after the request began: the key is verified again if that was not done lately.
 *
 * @throws Fault `unauthenticated` if the key was revoked meanwhile
 */
export async function laterContext(
  { state, req }: HttpContext,
  { keys, proxies, timeoutMs }: RestOptions,
): Promise<RequestContext> {
  const { requestId, traceparent } = state;
  const address = clientAddress(proxies, req);
  const origin = { requestId, traceparent, address };
  return {
    caller: await authenticate(keys, req.headers.authorization, origin),
    requestId,
    traceparent,
    deadline: steadyNow() + timeoutMs,
  };
}
