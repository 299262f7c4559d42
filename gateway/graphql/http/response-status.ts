import type { HTTPGraphQLRequest } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';

/** Said of requests that are no GraphQL requests: they fail whatever media type is accepted. */
const malformed = new Set(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE']);

/**
 * GraphQL over HTTP, 6.4: a well-formed request whose document is refused is answered 200 as `application/json`, because
 * clients that know only this media type cannot tell a gateway's error from a GraphQL response by anything else; as
 * `application/graphql-response+json` it is 400. Apollo answers both 400.
 */
export function statusFor(
  status: number,
  request: HTTPGraphQLRequest | undefined,
  errors: readonly GraphQLFormattedError[],
): number {
  if (status !== 400 || acceptsResponseType(request)) return status;
  return errors.some(({ extensions }) => malformed.has(String(extensions?.['code'])))
    ? status
    : 200;
}

/** What `accept` says by the time Apollo reads it: see `acceptOf`. */
const acceptsResponseType = (request: HTTPGraphQLRequest | undefined): boolean =>
  request?.headers.get('accept') === 'application/graphql-response+json';
