import { faultMessages, type Fault } from '@roster/contracts';
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

/** Refusals that only GraphQL knows, beside the faults of the contracts and Apollo's own codes of its protocol. */
export type DocumentCode =
  | 'query_too_long'
  | 'query_too_deep'
  | 'query_too_costly'
  | 'query_too_repetitive'
  | 'too_many_aliases'
  | 'too_many_operations'
  | 'introspection_disabled'
  | 'document_not_listed'
  | 'subscription_only'
  | 'use_subscription_transport';

export const refused = (code: DocumentCode, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status: 400, headers: new Map() } } });

/** What the caller may know of a fault. */
export const errorOf = ({ code, message, details }: Fault, requestId: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...details, requestId } });

/** Whether nobody expected it: everything expected carries a code of its own, or is a malformed request. */
export const isUnexpected = (error: unknown): boolean =>
  !(error instanceof GraphQLError) ||
  (error.extensions['code'] === undefined && !isMalformed(error)) ||
  error.extensions['code'] === 'INTERNAL_SERVER_ERROR';

/** Apollo gives some refusals of a request, a persisted query with another hash among them, a status and no code. */
const isMalformed = ({ extensions, originalError }: GraphQLError): boolean =>
  extensions['code'] === undefined &&
  originalError === undefined &&
  (extensions['http'] as { status?: number } | undefined)?.status === 400;

/** An error as callers see it: never a stack, never a sentence that was meant for the log. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const { extensions, ...rest } = formatted;
  if (isTooLong(formatted))
    return { ...rest, extensions: { ...extensions, code: 'query_too_long' } };
  // The parser descends into what is nested, and ran out of stack.
  if (ranOutOfStack(error))
    return { message: 'The document is nested too deep.', extensions: { code: 'query_too_deep' } };
  if (error instanceof GraphQLError && isMalformed(error))
    return { ...rest, extensions: { code: 'BAD_REQUEST' } };
  const known = error instanceof GraphQLError && !isUnexpected(error);
  if (known || extensions?.['code'] !== 'INTERNAL_SERVER_ERROR') return formatted;
  return { ...rest, message: faultMessages.internal, extensions: { code: 'internal' } };
}

/** graphql-js says this of a document with more tokens than it was told to take, and gives no code. */
const isTooLong = ({ message, extensions }: GraphQLFormattedError) =>
  extensions?.['code'] === 'GRAPHQL_PARSE_FAILED' && message.includes('Parsing aborted');

const ranOutOfStack = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof GraphQLError && ranOutOfStack(error.originalError));

/** What is behind an error, for the log. */
export const causeOf = (error: unknown): unknown => unwrapResolverError(error);
