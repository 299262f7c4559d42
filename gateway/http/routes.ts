import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { HttpBinding } from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { HttpContext } from './exchange.js';
import { compressOnce } from './response/compress.js';
import { sendCompressed } from './response/send-compressed.js';

export type HttpMethod = HttpBinding['method'] | 'PATCH';

/** A path, its methods and their handler. */
export interface Route {
  methods: readonly HttpMethod[];
  /** With parameters in the syntax of the contracts: `/v1/contacts/{contactId}`. Each is a whole segment. */
  path: string;
  /** Name in the log and the metrics. The handler may replace it by a more specific one. */
  operation: string;
  answer(ctx: HttpContext): Promise<void> | void;
}

interface FoundRoute {
  route: Route;
  params: Record<string, string>;
}

/** Node refuses requests with longer headers. */
const parameterLengthMax = 16 * 1024;
const methods: HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/**
 * Finds routes by method and path. HEAD is supported wherever GET is. Paths are matched exactly, including case and trailing slashes.
 * Parameters are decoded, unless the percent-encoding of the path is malformed.
 */
export class Routes {
  readonly #router = findMyWay({ maxParamLength: parameterLengthMax });

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const own: HTTPMethod[] = [...route.methods];
      if (own.includes('GET')) own.push('HEAD');
      this.#router.on(own, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), () => {}, route);
    }
    // Without a route, a method of `/v1/contacts/batch` would be one of `/v1/contacts/{contactId}`.
    for (const { path } of routes)
      for (const method of methods)
        if (!path.includes('{') && !this.#router.hasRoute(method, path))
          this.#router.on(method, path, () => {});
  }

  /** @param url path, with or without a query */
  find(method: string, url: string): FoundRoute | undefined {
    const found =
      this.#router.find(method as HTTPMethod, url) ??
      // Nothing is found for a malformed path. Encoded again, its parameters are what was sent.
      (url.includes('%')
        ? this.#router.find(method as HTTPMethod, url.replaceAll('%', '%25'))
        : null);
    if (!found?.store) return undefined;
    const params = found.params as Record<string, string>;
    // The library also matches a segment that is empty.
    for (const name in params) if (params[name] === '' && name !== '*') return undefined;
    return { route: found.store as Route, params };
  }

  /** The routes of a path, by their methods. */
  ofPath(url: string): Map<string, Route> {
    const found = new Map<string, Route>();
    for (const method of methods) {
      const route = this.find(method, url)?.route;
      if (route) found.set(method, route);
    }
    return found;
  }
}

/**
 * Handler that sends a constant document.
 *
 * @param headers in addition to those of every response
 */
export function fixed(
  mediaType: string,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Route['answer'] {
  const compressor = compressOnce();
  return (ctx) => {
    Object.assign(ctx.state.headers, headers);
    return sendCompressed(ctx, 200, mediaType, body, compressor);
  };
}
