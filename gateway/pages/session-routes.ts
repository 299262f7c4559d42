import { Fault, invalidFields } from '@roster/contracts';
import type { FailedLookUps } from '../http/callers/failed-look-ups.js';
import { setRateHeaders } from '../http/callers/limit-rate.js';
import { parseJson, readJsonBytes } from '../http/body/read-json.js';
import {
  clientAddress,
  networkOf,
  type TrustedProxies,
} from '../http/connections/trusted-proxies.js';
import type { HttpContext } from '../http/exchange.js';
import { send } from '../http/response/send.js';
import type { Route } from '../http/routes.js';
import { InvalidKey, type RequestOrigin } from '../operations/key-verification.js';
import type { RateLimiter } from '../operations/rates/rate-limiter.js';
import type { SessionClient } from '../operations/session-client.js';
import { readSessionCookie, sessionCookie } from './session-cookie.js';
import type { IncomingMessage } from 'node:http';

export interface SessionOptions {
  sessions: SessionClient;
  failedSessions: FailedLookUps;
  proxies: TrustedProxies;
  rateLimiter: Pick<RateLimiter, 'take'>;
}

const json = 'application/json; charset=utf-8';
const bodyBytesMax = 4 * 1024;

interface Answer {
  status: 200 | 201 | 204;
  body?: object;
}

/**
 * What the console signs in with. Only these paths read the cookie of a session, and all it buys is a browser token of minutes, which
 * the page keeps in its memory: no other path acts on what a browser adds by itself. They answer pages of this origin only.
 */
export function sessionRoutes(options: SessionOptions): Route[] {
  const { sessions, failedSessions, rateLimiter } = options;
  const route = (
    name: string,
    fields: readonly string[],
    answer: (ctx: HttpContext, body: Body, origin: RequestOrigin) => Promise<Answer>,
  ): Route => ({
    methods: ['POST'],
    path: `/console/session/${name}`,
    operation: `session.${name}`,
    answer: (ctx) => answerPage(ctx, options, fields, answer),
  });
  const withCookie = async <T>(
    ctx: HttpContext,
    use: (secret: string) => Promise<T>,
  ): Promise<T> => {
    const secret = readSessionCookie(ctx.req);
    if (secret === undefined) throw new Fault('unauthenticated', 'Sign in to open a session.');
    const session = sessions.knownSession(secret);
    if (!session) return guarded(failedSessions, ctx.req, () => use(secret));
    setRateHeaders(ctx.state.headers, rateLimiter.take({ userId: '', scopes: [], ...session }));
    return use(secret);
  };

  return [
    route('link', ['link'], async ({ req }, body, origin) => {
      const link = textIn(body, 'link');
      return {
        status: 200,
        body: await guarded(failedSessions, req, () => sessions.describe(link, origin)),
      };
    }),
    route('open', ['link', 'apiKey'], async (ctx, body, origin) => {
      const { req, state } = ctx;
      const kind = body['apiKey'] === undefined ? 'link' : 'key';
      const credential = {
        kind,
        secret: textIn(body, kind === 'key' ? 'apiKey' : 'link'),
      } as const;
      const { secret, signedIn } = await guarded(failedSessions, req, () =>
        sessions.open(credential, req.headers['user-agent'], origin),
      );
      const former = readSessionCookie(req);
      state.headers['Set-Cookie'] = sessionCookie(req, secret);
      // Nobody has its secret any more. If it cannot be ended now, it expires.
      if (former !== undefined) await sessions.end(former, origin).catch(unlessFault);
      return { status: 201, body: signedIn };
    }),
    route('methods', [], async (_ctx, _body, origin) => ({
      status: 200,
      body: { identityProvider: await sessions.identityHost(origin) },
    })),
    route('token', [], async (ctx, _, origin) => ({
      status: 200,
      body: await withCookie(ctx, (secret) => sessions.createToken(secret, origin)),
    })),
    route('end', [], async (ctx, _, origin) => {
      ctx.state.headers['Set-Cookie'] = sessionCookie(ctx.req, null);
      await withCookie(ctx, (secret) => sessions.end(secret, origin)).catch(unlessUnknown);
      return { status: 204 };
    }),
  ];
}

type Body = Record<string, unknown>;

async function answerPage(
  ctx: HttpContext,
  { proxies }: SessionOptions,
  fields: readonly string[],
  answer: (ctx: HttpContext, body: Body, origin: RequestOrigin) => Promise<Answer>,
): Promise<void> {
  const { req, res, state } = ctx;
  const { headers, requestId, traceparent } = state;
  // Of origins that may use the API.
  delete headers['Access-Control-Allow-Origin'];
  delete headers['Access-Control-Expose-Headers'];
  if (!isSameOrigin(req)) throw new Fault('insufficient_scope', notSameOrigin);
  const read = await readObject(ctx, networkOf(proxies.addressOf(req)));
  const unknown = Object.keys(read).filter((field) => !fields.includes(field));
  if (unknown.length > 0)
    throw invalidFields(
      unknown.map((field) => ({ pointer: `/${field}`, message: 'is not a known field' })),
    );
  if (Object.keys(read).length > 1)
    throw invalidFields([{ pointer: '/link', message: 'cannot be sent together with apiKey' }]);
  const address = clientAddress(proxies, req);
  const { status, body } = await answer(ctx, read, { requestId, traceparent, address });
  if (body) return send(ctx, status, json, JSON.stringify(body));
  state.status = status;
  res.writeHead(status, headers);
  res.end();
}

const notSameOrigin = 'Only pages of this address may sign in and use a session.';

/** Browsers send `Sec-Fetch-Site` to https and to loopback, and `Origin` with every POST. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  return (
    origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
  );
}

/** A form of another page can send no JSON. @throws Fault `unsupported_media_type`, `payload_too_large`, `invalid_json` */
async function readObject(ctx: HttpContext, network: string): Promise<Body> {
  const body: unknown = parseJson(await readJsonBytes(ctx, bodyBytesMax, network));
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body;
  throw new Fault('invalid_json', 'The body must be a JSON object.');
}

function textIn(body: Body, field: string): string {
  const text = body[field];
  if (typeof text === 'string') return text;
  const message = text === undefined ? 'is required' : 'must be a string';
  throw invalidFields([{ pointer: `/${field}`, message }]);
}

/** Counts what is not known, of an address. Above the limit, nothing is looked up. */
async function guarded<T>(
  failed: FailedLookUps,
  request: IncomingMessage,
  find: () => Promise<T>,
): Promise<T> {
  failed.check(request);
  try {
    return await find();
  } catch (error) {
    if (error instanceof InvalidKey) failed.count(request);
    throw error;
  }
}

function unlessFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}

function unlessUnknown(error: unknown): void {
  if (!(error instanceof Fault) || error.code !== 'unauthenticated') throw error;
}
