import type { Caller } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import { originsOf, type RequestOrigin } from '../../operations/key-verification.js';
import type { ListedOrigins } from '../../operations/listed-origins.js';
import { type HttpContext, leaveSlot, withoutSlot } from '../exchange.js';
import { MethodNotAllowed } from '../refusal.js';
import type { FailedLookUps } from './failed-look-ups.js';

/**
 * Pages may send any header: `*` means all of a request without credentials but `Authorization`. Tracing and GraphQL clients add
 * headers of their own, which the gateway ignores. Browsers that do not know `*` use the names, of the headers that are read.
 */
const requestHeaders = [
  '*',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Traceparent',
  'Tracestate',
  'X-Request-Id',
].join(', ');
/** Response headers that scripts may read. */
const exposedHeaders = [
  'Accept-Patch',
  'Allow',
  'Content-Disposition',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');
/** The longest time that Chromium accepts. */
const preflightSeconds = 7200;

/** Origins of development servers on the machine of the browser. */
const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
/** More than any origin that can be listed. */
const shownLengthMax = 300;
/** No origin has other characters: they are neither logged nor sent back. */
const printable = /^[\x21-\x7e]+$/;

/** What to do about an origin that is not allowed. */
export const originRefused = (origin: string): string =>
  `The origin ${printable.test(origin) ? origin.slice(0, shownLengthMax) : 'of the page'} is not allowed: add it to the list of the workspace with PUT /v1/origins.`;

type RequestIds = Omit<RequestOrigin, 'address'>;

export interface AllowedOriginsOptions {
  /** Origins of the operator, allowed for every workspace. As browsers send them: `https://app.example.com` */
  configured: readonly string[];
  /** Whether origins of the machine of the browser are allowed for every workspace. */
  isDevelopment: boolean;
  /** Whether GraphiQL is served, whose page has no origin. */
  hasGraphiql: boolean;
  listed: ListedOrigins;
  failures: FailedLookUps;
}

/**
 * The origins whose web pages may read responses: CORS of the Fetch standard. https://fetch.spec.whatwg.org/#http-cors-protocol
 * There are no credentials besides keys and tokens, which a page sends itself, so that no response allows credentials.
 *
 * Origins are configured by the operator, or listed by the workspace of the key. In development, those of loopback are as if they were
 * configured. Preflights, handshakes of WebSockets and requests whose key is invalid have no workspace: for them, an origin is allowed
 * if any workspace lists it.
 *
 * GraphiQL is sandboxed, so that its scripts cannot use the session of the console: its origin is opaque, and sent as `null`, as that
 * of a local file or of another sandboxed page is. Where GraphiQL is served, these may read the answers of `POST /graphql`, which
 * needs a key or token that the page sends itself, because the gateway reads no cookie there.
 */
export class AllowedOrigins {
  readonly #configured: ReadonlySet<string>;
  readonly #isDevelopment: boolean;
  readonly #hasGraphiql: boolean;
  readonly #listed: ListedOrigins;
  readonly #failures: FailedLookUps;
  readonly #counted = new WeakSet<Promise<boolean>>();

  constructor(options: AllowedOriginsOptions) {
    const { configured, isDevelopment, hasGraphiql, listed, failures } = options;
    this.#configured = new Set(configured);
    this.#isDevelopment = isDevelopment;
    this.#hasGraphiql = hasGraphiql;
    this.#listed = listed;
    this.#failures = failures;
  }

  /** Sets the headers by which a browser gives the response to the page if its origin is allowed, and removes them otherwise. */
  expose(ctx: HttpContext): void {
    const { origin } = ctx.req.headers;
    if (origin === undefined) return;
    const { caller, headers } = ctx.state;
    if (
      this.#isForAll(ctx.req, ctx.req.method, origin) ||
      (caller && originsOf(caller).has(origin))
    )
      return allow(ctx, origin);
    delete headers['Access-Control-Allow-Origin'];
    delete headers['Access-Control-Expose-Headers'];
  }

  /** Whether a page sent the request, and is not allowed to read the response as far as is known. */
  isUnexposed({ req, state }: HttpContext): boolean {
    const { origin } = req.headers;
    return origin !== undefined && state.headers['Access-Control-Allow-Origin'] === undefined;
  }

  /** Why the page that sent a request cannot read the response, for the log. Undefined if it can, or is a page of the gateway. */
  whyUnexposed(ctx: HttpContext): string | undefined {
    if (!this.isUnexposed(ctx) || this.#allowsSocketOfAll(ctx.req)) return undefined;
    return originRefused(ctx.req.headers.origin!);
  }

  /** As `expose`, for the refusal of a request whose workspace is not known. The request returns its slot. */
  async exposeRefusal(ctx: HttpContext): Promise<void> {
    leaveSlot(ctx);
    const { req, state } = ctx;
    try {
      if (await this.#isListed(req, state)) allow(ctx, req.headers.origin!);
    } catch {
      // The page learns no more than that the request failed.
    }
  }

  /**
   * Answers a preflight of an allowed origin. Returns false for a request that is no preflight.
   *
   * @param allowed methods of the path, separated by commas
   *
   * @throws MethodNotAllowed if the origin is not allowed; Fault `rate_limited`, `unavailable`; faults of the bus
   */
  async answerPreflight(ctx: HttpContext, allowed: string): Promise<boolean> {
    const { req, res, state } = ctx;
    const { origin } = req.headers;
    const isPreflight = req.method === 'OPTIONS' && 'access-control-request-method' in req.headers;
    if (!isPreflight || origin === undefined) return false;
    if (!this.#isForAll(req, req.headers['access-control-request-method'], origin)) {
      const isListed = this.#isListed(req, state);
      if (!(isListed instanceof Promise ? await withoutSlot(ctx, isListed) : isListed))
        throw new MethodNotAllowed(allowed, originRefused(origin));
    }
    const { headers } = state;
    delete headers['Access-Control-Expose-Headers'];
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Allow-Methods'] = allowed;
    headers['Access-Control-Allow-Headers'] = requestHeaders;
    headers['Access-Control-Max-Age'] = preflightSeconds;
    state.operation = 'preflight';
    state.status = 204;
    res.writeHead(204, headers);
    res.end();
    return true;
  }

  /**
   * Whether a WebSocket may be opened: browsers send the origin, and do not apply CORS. Pages of the gateway itself may, and
   * clients that are no browsers.
   *
   * @throws Fault as `answerPreflight`
   */
  allowsSocket(request: IncomingMessage, ids: RequestIds): boolean | Promise<boolean> {
    return this.#allowsSocketOfAll(request) || this.#isListed(request, ids);
  }

  /** Whether the key of a WebSocket may be used from its origin. */
  allowsCaller(request: IncomingMessage, caller: Caller): boolean {
    return this.#allowsSocketOfAll(request) || originsOf(caller).has(request.headers.origin!);
  }

  #allowsSocketOfAll({ headers: { origin, host } }: IncomingMessage): boolean {
    if (origin === undefined || this.#isConfigured(origin)) return true;
    return host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
  }

  /** Whether pages of the origin may read the answers to all workspaces. */
  #isForAll({ url }: IncomingMessage, method: string | undefined, origin: string): boolean {
    if (this.#isConfigured(origin)) return true;
    return this.#hasGraphiql && origin === 'null' && method === 'POST' && url === '/graphql';
  }

  #isConfigured(origin: string): boolean {
    return this.#configured.has(origin) || (this.#isDevelopment && loopback.test(origin));
  }

  /** Origins that no workspace lists are counted for the client's address: above the limit none is looked up. */
  #isListed(request: IncomingMessage, ids: RequestIds): boolean | Promise<boolean> {
    const { origin = '' } = request.headers;
    return this.#listed.cached(origin) ?? this.#lookUp(origin, request, ids);
  }

  async #lookUp(origin: string, request: IncomingMessage, ids: RequestIds): Promise<boolean> {
    this.#failures.check(request);
    const lookUp = this.#listed.lookUp(origin, ids);
    const isListed = await lookUp;
    // Once for all requests that share the look-up.
    if (!isListed && !this.#counted.has(lookUp)) {
      this.#counted.add(lookUp);
      this.#failures.count(request);
    }
    return isListed;
  }
}

function allow({ state: { headers } }: HttpContext, origin: string): void {
  headers['Access-Control-Allow-Origin'] = origin;
  headers['Access-Control-Expose-Headers'] = exposedHeaders;
}
