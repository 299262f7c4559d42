import type { Caller } from '@roster/contracts';
import { authenticateRequest, type Authentication } from '../../http/callers/authenticate.js';
import { readIfMatch, readIfNoneMatch } from '../../http/response/conditions.js';
import type { HttpContext } from '../../http/exchange/exchange.js';
import { limitRate } from '../../http/callers/limit-rate.js';
import type { RateLimiter } from '../../operations/rates/rate-limiter.js';

/**
 * Authenticates, checks the rate and the unread responses of the workspace, and rejects conditions that would be ignored.
 *
 * @throws Fault as REST does
 */
export async function admit(
  ctx: HttpContext,
  options: Authentication & { rateLimiter: RateLimiter },
): Promise<Caller> {
  const { state, req } = ctx;
  const caller = await authenticateRequest(ctx, options);
  limitRate(options.rateLimiter, caller, state.headers);
  state.unread.checkShare(caller.workspaceId);
  readIfMatch(req.headers['if-match'], false);
  readIfNoneMatch(req.headers['if-none-match'], ctx.method !== 'POST');
  return caller;
}
