import { faultMessages, printable, type Fault } from '@roster/contracts';
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

/** Codes of documents that are rejected, in addition to the fault codes of the contracts and Apollo's own codes. */
export type DocumentCode =
  | 'query_too_long'
  | 'query_too_deep'
  | 'query_too_costly'
  | 'query_too_repetitive'
  | 'variables_too_large'
  | 'too_many_operations'
  | 'introspection_disabled'
  | 'document_not_listed'
  | 'result_too_large'
  | 'subscription_only'
  | 'use_subscription_transport';

/** @param details for the caller, in addition to the code */
export const refused = (code: DocumentCode, message: string, details: object = {}): GraphQLError =>
  new GraphQLError(message, {
    extensions: { code, ...details, http: { status: 400, headers: new Map() } },
  });

/** The GraphQL error for a fault, with the fields meant for the caller. */
export const errorOf = ({ code, message, details }: Fault, requestId: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...details, requestId } });

/** By which an error is found in logs and traces. */
export interface ErrorIds {
  requestId: string;
  /** Of a request that is traced. */
  traceId?: string | undefined;
}

/** The error with these IDs. */
export const withIds = <Shown extends { extensions?: GraphQLFormattedError['extensions'] }>(
  error: Shown,
  { requestId, traceId }: ErrorIds,
): Shown => ({
  ...error,
  extensions: { ...error.extensions, requestId, ...(traceId !== undefined && { traceId }) },
});

/** Whether an error is a defect: expected errors have a code of their own, or stem from a malformed request. */
export const isUnexpected = (error: unknown): boolean =>
  !(error instanceof GraphQLError) ||
  (error.extensions['code'] === undefined && !isMalformed(error) && !isArgument(error)) ||
  error.extensions['code'] === 'INTERNAL_SERVER_ERROR';

/** Graphql-js reports an argument whose variable is null or absent when the field is executed, without a code. */
const isArgument = ({ message }: GraphQLError): boolean => message.startsWith('Argument "');

/** Apollo rejects some malformed requests, such as a persisted query with a wrong hash, with a status but no code. */
const isMalformed = ({ extensions, originalError }: GraphQLError): boolean =>
  extensions['code'] === undefined &&
  originalError === undefined &&
  (extensions['http'] as { status?: number } | undefined)?.status === 400;

/** Formats an error for the caller, without stack traces, internal messages, and values of the request. */
export function formatError(
  original: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const formatted = { ...original, message: shorten(withoutValue(original)) };
  const { extensions, ...rest } = formatted;
  if (isTooLong(formatted))
    return { ...rest, extensions: { ...extensions, code: 'query_too_long' } };
  // The parser is recursive and exceeded the stack.
  if (ranOutOfStack(error))
    return { message: 'The document is nested too deep.', extensions: { code: 'query_too_deep' } };
  if (error instanceof GraphQLError && isMalformed(error))
    return { ...rest, extensions: { code: 'BAD_REQUEST' } };
  const known = error instanceof GraphQLError && !isUnexpected(error);
  if (known && isArgument(error)) return { ...rest, extensions: { code: 'BAD_USER_INPUT' } };
  if (known || extensions?.['code'] !== 'INTERNAL_SERVER_ERROR') return formatted;
  return { ...rest, message: faultMessages.internal, extensions: { code: 'internal' } };
}

/** Codes of errors whose messages are those of graphql-js and the scalars. */
const foreignCodes: readonly unknown[] = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'INTERNAL_SERVER_ERROR',
];

/**
 * The values in these messages: of a variable or in the document, where a value can be a secret. The expressions take time in
 * proportion to a message, which can contain a long name of the request.
 */
const values: readonly [RegExp, string][] = [
  [/( cannot represent [^:]{0,60}value): .*/s, '$1.'],
  [/( (?:Block)?String| Int| Float) ".*"/s, '$1'],
  [/^(Variable "[^"]*" is invalid: )?Value ".*" does not exist/s, '$1The value does not exist'],
  [/, found (?!Name).*/s, '.'],
  [/ has invalid value .*/s, ' is invalid.'],
];

function withoutValue({ message, extensions }: GraphQLFormattedError): string {
  if (!foreignCodes.includes(extensions?.['code'])) return message;
  return values.reduce((text, [value, replacement]) => text.replace(value, replacement), message);
}

const shownMax = 500;

/** The beginning of a text that can contain names from a document or of variables. They have any length and characters. */
export const shorten = (text: string): string =>
  printable(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);

/** Graphql-js reports documents over the token limit with this message and no code. */
const isTooLong = ({ message, extensions }: GraphQLFormattedError) =>
  extensions?.['code'] === 'GRAPHQL_PARSE_FAILED' && message.includes('Parsing aborted');

const ranOutOfStack = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof GraphQLError && ranOutOfStack(error.originalError));

/** The original error, for the log. */
export const causeOf = (error: unknown): unknown => unwrapResolverError(error);
