import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlContext } from '../context.js';
import type { DocumentChecker } from '../document/document-checker.js';
import { subscriptionLimits } from './subscription-limits.js';
import { formatError, refused } from '../errors.js';
import type { PersistedDocuments } from '../http/persisted-documents.js';

export interface SubscriptionRequest {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
  extensions?: unknown;
}

export interface PrepareOptions {
  schema: GraphQLSchema;
  checker: DocumentChecker;
  persisted: PersistedDocuments | null;
}

/** Checks the document of a subscription. Returns the arguments of its execution, or the errors. */
export function prepareSubscription(
  request: SubscriptionRequest,
  contextValue: GraphqlContext,
  { schema, checker, persisted }: PrepareOptions,
): ExecutionArgs | readonly GraphQLError[] {
  const { requestId } = contextValue;
  const shown = (errors: readonly GraphQLError[], code?: string) =>
    errors.map((error) => withId(error, requestId, code));
  const { operationName, variables } = request;
  const variableValues = (variables ?? undefined) as Record<string, unknown> | undefined;
  let document: DocumentNode;
  try {
    const query = persisted ? persisted.find(request) : request.query;
    document = checker.parse(typeof query === 'string' ? query : '', subscriptionLimits.tokens);
  } catch (error) {
    const isSyntax = !(error instanceof GraphQLError) || error.extensions['code'] === undefined;
    return shown([asGraphqlError(error)], isSyntax ? 'GRAPHQL_PARSE_FAILED' : undefined);
  }
  try {
    contextValue.budget.takeRequest(document, variableValues);
    checker.checkLimits(document, variableValues);
  } catch (error) {
    return shown([asGraphqlError(error)]);
  }
  const invalid = checker.validate(document);
  if (invalid.length > 0) return shown(invalid, 'GRAPHQL_VALIDATION_FAILED');
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = getOperationAST(document, name);
  if (operation?.operation !== OperationTypeNode.SUBSCRIPTION)
    return shown([
      refused(
        'subscription_only',
        'Only subscriptions are supported over this connection. Send queries and mutations with POST.',
      ),
    ]);
  const invalidVariables = checker.checkVariables(operation, variableValues);
  if (invalidVariables.length > 0) return shown(invalidVariables, 'BAD_USER_INPUT');
  return { schema, document, operationName: name, variableValues, contextValue };
}

const asGraphqlError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError((error as Error).message, { originalError: error as Error });

function withId(error: GraphQLError, requestId: string, code?: string): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  const formatted = formatError(
    { ...error.toJSON(), extensions: { ...extensions, ...(code && { code }) } },
    error,
  );
  return new GraphQLError(formatted.message, {
    extensions: { ...formatted.extensions, requestId },
  });
}
