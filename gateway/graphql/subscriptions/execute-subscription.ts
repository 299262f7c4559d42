import type { Log } from '@roster/process';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  subscribe,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlContext } from '../context.js';
import type { DocumentChecker } from '../document/document-checker.js';
import { causeOf, formatError, isUnexpected, refused, withIds, type ErrorIds } from '../errors.js';
import type { PersistedDocuments } from '../http/persisted-documents.js';
import { subscriptionLimits } from './subscription-limits.js';

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
  const { budget } = contextValue;
  const shown = (errors: readonly unknown[], code?: string) =>
    errors.map((error) => show(error, contextValue, code));
  const { operationName, variables } = request;
  const variableValues = (variables ?? undefined) as Record<string, unknown> | undefined;
  let document: DocumentNode;
  try {
    const query = persisted ? persisted.find(request) : request.query;
    document = checker.parse(typeof query === 'string' ? query : '', subscriptionLimits.tokens);
  } catch (error) {
    return shown([error], codeOf(error) ?? 'GRAPHQL_PARSE_FAILED');
  }
  try {
    budget.takeRequest(document, variableValues);
    checker.checkLimits(document, variableValues);
  } catch (error) {
    return shown([error]);
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

type Results = AsyncGenerator<ExecutionResult, void, void>;

/**
 * `subscribe` of graphql-js with two differences: errors are formatted as over HTTP, and an error of the source becomes a last
 * result instead of an exception.
 *
 * @param ready awaited before each result; resolved by a transport without a bounded buffer once it has written the previous one
 */
export async function subscribeSafely(
  args: ExecutionArgs,
  log: Log,
  ready: () => Promise<void> = async () => {},
): Promise<Results | ExecutionResult> {
  const ids = args.contextValue as GraphqlContext;
  const reported = (error: unknown): GraphQLError => {
    if (isUnexpected(error)) {
      const { requestId } = ids;
      log.error({ err: causeOf(error), requestId }, 'unexpected error in a subscription');
    }
    return show(error, ids);
  };
  const shown = (result: ExecutionResult): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map(reported) } : result;
  const results = await subscribe(args);
  if (!(Symbol.asyncIterator in results)) return shown(results);
  const done = { done: true, value: undefined } as const;
  let ended = false;
  const end = async () => {
    ended = true;
    await results.return();
    return done;
  };
  // Not an async generator: its `return` would wait for the event that `next` waits for.
  const formatted: Results = {
    async next() {
      if (ended) return done;
      try {
        await ready();
        const { done: isDone, value } = await results.next();
        return isDone ? done : { done: false, value: shown(value) };
      } catch (error) {
        ended = true;
        return { done: false, value: { errors: [reported(error)] } };
      }
    },
    return: end,
    async throw(error) {
      ended = true;
      return results.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await end()),
  };
  return formatted;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof GraphQLError ? (error.extensions['code'] as string | undefined) : undefined;

/** @param code by default that of the error, or of a defect if it has none */
function show(
  error: unknown,
  ids: ErrorIds,
  code = codeOf(error) ?? 'INTERNAL_SERVER_ERROR',
): GraphQLError {
  const plain = error instanceof GraphQLError ? error.toJSON() : { message: String(error) };
  const { http: _, ...given } = plain.extensions ?? {};
  const { message, extensions } = formatError({ ...plain, extensions: { ...given, code } }, error);
  return new GraphQLError(message, withIds({ extensions }, ids));
}
