import type { HttpContext } from '../../http/exchange/exchange.js';

export type MediaType = 'application/json' | 'application/graphql-response+json';

/** The media type of the response. `application/json` if the client accepts neither. */
export function acceptOf(ctx: HttpContext): MediaType {
  const best = ctx.accepts('application/json', 'application/graphql-response+json');
  return best === 'application/graphql-response+json' ? best : 'application/json';
}
