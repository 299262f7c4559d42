import type { IncomingMessage } from 'node:http';
import type { HttpContext } from './exchange.js';

/** Request headers that the interfaces read, besides those that need no permission. */
const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Traceparent',
  'X-Request-Id',
].join(', ');
/** Response headers that scripts may read. */
const exposedHeaders = [
  'Allow',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');
/** The longest time that Chromium accepts. */
const preflightSeconds = 7200;

/**
 * The origins whose web pages may read responses: CORS of the Fetch standard. https://fetch.spec.whatwg.org/#http-cors-protocol
 * There are no credentials besides keys and tokens, which a page sends itself, so that no response allows credentials.
 */
export class AllowedOrigins {
  readonly #origins: ReadonlySet<string>;

  /** @param origins as browsers send them: `https://app.example.com` */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Sets the headers by which a browser gives the response to the page, if its origin is allowed. */
  expose({ req, state }: HttpContext): void {
    if (this.#origins.size === 0) return;
    const { headers } = state;
    // Also without an origin: a cache must not give such a response to a page.
    headers['Vary'] = 'Origin';
    const { origin } = req.headers;
    if (origin === undefined || !this.#origins.has(origin)) return;
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Expose-Headers'] = exposedHeaders;
  }

  /**
   * Answers a preflight of an allowed origin. Returns false for other requests.
   *
   * @param allow methods of the path, separated by commas
   */
  answerPreflight({ req, res, state }: HttpContext, allow: string): boolean {
    const { headers } = state;
    const isPreflight = req.method === 'OPTIONS' && 'access-control-request-method' in req.headers;
    if (!isPreflight || headers['Access-Control-Allow-Origin'] === undefined) return false;
    delete headers['Access-Control-Expose-Headers'];
    headers['Access-Control-Allow-Methods'] = allow;
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
   */
  allowsSocket({ headers: { origin, host } }: IncomingMessage): boolean {
    if (origin === undefined || this.#origins.has(origin)) return true;
    return host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
  }
}
