import type { Caller } from '@roster/contracts';
import { authenticate } from '../../http/exchange/authenticate.js';
import type { HttpContext } from '../../http/exchange/exchange.js';
import { limitRate } from '../../http/exchange/limit-rate.js';
import type { KeyVerifier } from '../../operations/key-verifier.js';
import type { RateLimiter } from '../../operations/rate-limiter.js';

/**
 * Authenticates, and checks the rate and the unread responses of the workspace.
 *
 * @throws Fault as REST does
 */
export async function admit(
  { state, req }: HttpContext,
  { keys, rateLimiter }: { keys: KeyVerifier; rateLimiter: RateLimiter },
): Promise<Caller> {
  const caller = await authenticate(keys, req.headers.authorization, state);
  state.caller = caller;
  limitRate(rateLimiter, caller.keyId, state.headers);
  state.unread.checkShare(caller.workspaceId);
  return caller;
}
