import { Fault, signInAttemptShape, type SignInRefusal } from '@roster/contracts';
import { clientAddress, networkOf } from '../http/connections/trusted-proxies.js';
import { type HttpContext, leaveSlot } from '../http/exchange.js';
import type { Route } from '../http/routes.js';
import type { RequestOrigin } from '../operations/key-verification.js';
import { Shares } from '../http/shares.js';
import { cookieIn } from './session-cookie.js';
import type { SessionOptions } from './session-routes.js';
import type { IncomingMessage } from 'node:http';

/**
 * Sent back by the issuer's page, which is of another site: `Strict` would omit the cookie. Without a path it is sent to these two
 * routes only, wherever the gateway is mounted.
 */
const attributes = 'HttpOnly; SameSite=Lax';
const attemptSeconds = 600;
/** Sign-ins of this process that wait for the issuer, of all networks and of one. */
const finishingMax = { ofAll: 32, ofNetwork: 8 };
const nameFor = (isSecure: boolean): string =>
  isSecure ? '__Secure-roster_sign_in' : 'roster_sign_in';

/** What the page of the console explains: with links, it opens one of them at a click that names the workspace. */
type Outcome =
  | { links: readonly string[] }
  | { failure: SignInRefusal | 'unavailable' | 'limited' };

/**
 * Signing in with OpenID Connect: two navigations, whose way ends at the page of the console. What they found is in the fragment,
 * which browsers send to no server.
 */
export function identityRoutes(options: SessionOptions): Route[] {
  const { sessions, failedSessions, proxies } = options;
  const finishing = new Shares(finishingMax.ofAll, finishingMax.ofNetwork);
  const route = (
    name: string,
    answer: (ctx: HttpContext, origin: RequestOrigin) => Promise<void>,
  ): Route => ({
    methods: ['GET'],
    path: `/console/session/oidc/${name}`,
    operation: `session.oidc-${name}`,
    async answer(ctx) {
      const { requestId, traceparent, headers } = ctx.state;
      headers['Cache-Control'] = 'no-store';
      headers['Referrer-Policy'] = 'no-referrer';
      try {
        // The issuer may not answer for seconds. The slots are those of all requests without a key.
        leaveSlot(ctx);
        // A navigation cannot show a problem document.
        await answer(ctx, { requestId, traceparent, address: clientAddress(proxies, ctx.req) });
      } catch (error) {
        if (!(error instanceof Fault) || error.code === 'not_found') throw error;
        const isLimited = error.code === 'rate_limited';
        backToConsole(ctx, { failure: isLimited ? 'limited' : 'unavailable' });
      }
    },
  });
  return [
    route('start', async (ctx, origin) => {
      const { headers } = ctx.req;
      const site = headers['sec-fetch-site'] ?? 'none';
      if (site !== 'same-origin' && site !== 'none') throw notFromHere();
      failedSessions.check(ctx.req);
      const { url, redirectUri, attempt } = await sessions.startIdentity(origin);
      keepAttempt(ctx, attempt, redirectUri.startsWith('https:'));
      redirect(ctx, url);
    }),
    route('callback', async (ctx, origin) => {
      const { req } = ctx;
      const secure = cookieIn(req, nameFor(true), signInAttemptShape);
      const attempt = secure ?? cookieIn(req, nameFor(false), signInAttemptShape);
      if (attempt === undefined) return backToConsole(ctx, { failure: 'expired' });
      failedSessions.check(req);
      const network = networkOf(proxies.addressOf(req));
      if (!finishing.tryTake(network)) return backToConsole(ctx, { failure: 'unavailable' });
      const { links, refusal } = await sessions
        .finishIdentity(queryOf(req), attempt, origin)
        .finally(() => finishing.give(network));
      // It is used up, unless another page has sent the browser here.
      if (refusal !== 'expired') keepAttempt(ctx, null, secure !== undefined);
      if (refusal === null) return backToConsole(ctx, { links });
      failedSessions.count(req);
      backToConsole(ctx, { failure: refusal });
    }),
  ];
}

/** Another site cannot make a browser sign in. */
const notFromHere = () =>
  new Fault('not_found', 'Open the console, and continue from its page for signing in.');

function keepAttempt({ state }: HttpContext, attempt: string | null, isSecure: boolean): void {
  const maxAge = attempt === null ? 0 : attemptSeconds;
  const kept = `${nameFor(isSecure)}=${attempt ?? ''}; Max-Age=${maxAge}; ${attributes}`;
  state.headers['Set-Cookie'] = isSecure ? `${kept}; Secure` : kept;
}

/** Relative, because the gateway can be mounted anywhere. */
function backToConsole(ctx: HttpContext, outcome: Outcome): void {
  const found =
    'links' in outcome ? `link=${outcome.links.join(',')}` : `sign-in=${outcome.failure}`;
  redirect(ctx, `../../../console#${found}`);
}

function redirect({ res, state }: HttpContext, location: string): void {
  const { headers } = state;
  delete headers['Access-Control-Allow-Origin'];
  delete headers['Access-Control-Expose-Headers'];
  headers['Location'] = location;
  headers['Content-Length'] = 0;
  state.status = 303;
  res.writeHead(303, headers);
  res.end();
}

function queryOf({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1, at + 1 + queryLengthMax);
}

const queryLengthMax = 8192;
