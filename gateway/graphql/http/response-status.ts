import type { HTTPGraphQLRequest } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';

/** Codes of malformed requests, which are answered 400 with every media type. */
const malformed = new Set(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE']);

/**
 * GraphQL over HTTP, 6.4: a well-formed request whose document is rejected is answered 200 with `application/json`, because
 * clients that support only this media type distinguish a GraphQL response from an error of a proxy by the status; with
 * `application/graphql-response+json` it is answered 400. Apollo answers both 400.
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

/** Whether `acceptOf` chose the newer media type. */
const acceptsResponseType = (request: HTTPGraphQLRequest | undefined): boolean =>
  request?.headers.get('accept') === 'application/graphql-response+json';
