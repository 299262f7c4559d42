import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Log } from '@roster/process';
import {
  OperationTypeNode,
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { GraphqlContext } from '../context.js';
import { parseOptions, type DocumentChecker } from '../document/document-checker.js';
import { charactersPerToken, documentsTokensMax, errorsMax } from '../document/limits.js';
import { refused, causeOf, formatError, isUnexpected, withIds, type ErrorIds } from '../errors.js';
import { tooLarge } from '../request/request-budget.js';
import { LRUCache } from 'lru-cache';
import { statusFor } from './response.js';

export interface ApolloOptions {
  schema: GraphQLSchema;
  checker: DocumentChecker;
  log: Log;
  introspection: boolean;
}

/** Opens an Apollo Server without reporting and landing pages, which would contact or link to external servers. */
export async function openApollo({
  schema,
  checker,
  log,
  introspection,
}: ApolloOptions): Promise<ApolloServer<GraphqlContext>> {
  const apollo = new ApolloServer<GraphqlContext>({
    schema,
    documentStore: documentStore(),
    introspection,
    nodeEnv: 'production',
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: {
      debug: (message?: unknown) => log.debug({ message }, 'apollo'),
      info: (message?: unknown) => log.debug({ message }, 'apollo'),
      warn: (message?: unknown) => log.warn({ message }, 'apollo'),
      error: (message?: unknown) => log.error({ message }, 'apollo'),
    },
    cache: 'bounded',
    allowBatchedHttpRequests: true,
    // Keys are never sent as cookies, and browsers send Authorization to another origin only after a preflight.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    parseOptions,
    // `checkAndReport` validates, once per document and after the limits. Apollo has no hook before its own validation.
    dangerouslyDisableValidation: true,
    formatError,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      checkAndReport(checker, log),
    ],
  });
  await apollo.start();
  return apollo;
}

/** Parsed documents by the hash of their text, also invalid ones. Apollo's own store writes each as JSON to learn its size. */
export function documentStore() {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: documentsTokensMax,
    sizeCalculation: sizeInTokens,
  });
  return {
    get: async (key: string) => documents.get(key),
    set: async (key: string, document: DocumentNode) => void documents.set(key, document),
    delete: async (key: string) => documents.delete(key),
  };
}

/** A document keeps its text as well, and its comments, each of which ends a line: `tokenCount` contains neither. */
const sizeInTokens = ({ tokenCount = 0, loc }: DocumentNode): number =>
  1 + tokenCount + (loc ? loc.endToken.line + Math.ceil(loc.end / charactersPerToken) : 0);

/** Checks documents and variables before their execution, and completes responses. */
const checkAndReport = (
  checker: DocumentChecker,
  log: Log,
): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { budget, operations, requestId, traceId } }) {
    return {
      async didResolveOperation({ document, request, operation }) {
        budget.takeRequest(document, request.variables);
        budget.takeCost(checker.checkLimits(document, request.variables));
        if (
          operation?.operation === OperationTypeNode.SUBSCRIPTION &&
          checker.validate(document).length === 0
        )
          throw refused(
            'use_subscription_transport',
            'Subscriptions require SSE ("Accept: text/event-stream") or WebSocket.',
          );
      },
      async responseForOperation({ document, operation, request }) {
        const errors = checker.validate(document);
        if (errors.length > 0) return rejected(errors, 'GRAPHQL_VALIDATION_FAILED');
        const invalid = operation ? checker.checkVariables(operation, request.variables) : [];
        return invalid.length > 0 ? rejected(invalid, 'BAD_USER_INPUT') : null;
      },
      async didEncounterErrors({ errors }) {
        for (const error of errors.filter(isUnexpected).slice(0, errorsMax))
          log.error(
            { err: causeOf(error), path: error.path, requestId },
            'unexpected error in a field',
          );
      },
      async willSendResponse({ response, request, operation }) {
        if (response.body.kind !== 'single') return;
        let { singleResult } = response.body;
        // Names the fields whose result was stored, as REST does with the header Idempotency-Replayed.
        if (operations.replayed.length > 0)
          singleResult.extensions = {
            ...singleResult.extensions,
            idempotencyReplayed: operations.replayed,
          };
        if (!budget.admits(singleResult)) singleResult = tooLargeFor(operation);
        const { status = 200 } = response.http;
        if (singleResult.errors) {
          showErrors(singleResult, { requestId, traceId });
          response.http.status = statusFor(status, request.http, singleResult.errors);
        }
        response.body.singleResult = singleResult;
      },
    };
  },
});

const rejected = (errors: readonly GraphQLError[], code: string) => ({
  http: { status: 400, headers: new Map() as never },
  body: {
    kind: 'single' as const,
    singleResult: {
      errors: errors.map((error) =>
        formatError({ ...error.toJSON(), extensions: { ...error.extensions, code } }, error),
      ),
    },
  },
});

/** The response to an operation whose result is too large. */
function tooLargeFor(operation: OperationDefinitionNode | undefined): FormattedExecutionResult {
  const advice =
    operation?.operation === OperationTypeNode.MUTATION
      ? 'The mutation was executed. Read the result with queries.'
      : 'Request fewer fields or shorter lists.';
  return { data: null, errors: [tooLarge(advice).toJSON()] };
}

/** Lists the first errors, each with the IDs, and the number of the others. */
function showErrors(result: FormattedExecutionResult, ids: ErrorIds): void {
  const { errors = [], extensions } = result;
  const omitted = errors.length - errorsMax;
  if (omitted > 0) result.extensions = { ...extensions, errorsOmitted: omitted };
  result.errors = errors.slice(0, errorsMax).map((error) => withIds(error, ids));
}
