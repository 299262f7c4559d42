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
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlContext } from '../context.js';
import { parseOptions, type DocumentChecker } from '../document/document-checker.js';
import { documentsTokensMax, errorsMax } from '../document/limits.js';
import { refused, causeOf, formatError, isUnexpected } from '../errors.js';
import { tooLarge } from '../request/request-budget.js';
import { LRUCache } from 'lru-cache';
import { statusFor } from './response-status.js';

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
    // `checkDocuments` validates, once per document and after the limits. Apollo has no hook before its own validation.
    dangerouslyDisableValidation: true,
    formatError,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      checkDocuments(checker),
      markReplays(),
      boundResponse(),
      reportErrors(log),
    ],
  });
  await apollo.start();
  return apollo;
}

/** Parsed documents by the hash of their text, also invalid ones. Apollo's own store writes each as JSON to learn its size. */
function documentStore() {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: documentsTokensMax,
    sizeCalculation: ({ tokenCount = 1 }) => Math.max(1, tokenCount),
  });
  return {
    get: async (key: string) => documents.get(key),
    set: async (key: string, document: DocumentNode) => void documents.set(key, document),
    delete: async (key: string) => documents.delete(key),
  };
}

/** Rejects documents that exceed the limits or are invalid. */
const checkDocuments = (checker: DocumentChecker): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { budget } }) {
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

/** Names the fields whose result was stored, as REST does with the header Idempotency-Replayed. */
const markReplays = (): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { operations } }) {
    return {
      async willSendResponse({ response: { body } }) {
        if (body.kind !== 'single' || operations.replayed.length === 0) return;
        const { singleResult } = body;
        singleResult.extensions = {
          ...singleResult.extensions,
          idempotencyReplayed: operations.replayed,
        };
      },
    };
  },
});

/** Replaces results that are too large. */
const boundResponse = (): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { budget, requestId } }) {
    return {
      async willSendResponse({ response, operation }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        if (budget.admits(singleResult)) return;
        const isMutation = operation?.operation === OperationTypeNode.MUTATION;
        const advice = isMutation
          ? 'The mutation was executed. Read the result with queries.'
          : 'Request fewer fields or shorter lists.';
        const { extensions, ...error } = tooLarge(advice).toJSON();
        response.body.singleResult = {
          data: null,
          errors: [{ ...error, extensions: { ...extensions, requestId } }],
        };
      },
    };
  },
});

/** Logs unexpected errors, adds the request ID to every error, and sets the status. */
const reportErrors = (log: Log): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { requestId } }) {
    return {
      async didEncounterErrors({ errors }) {
        for (const error of errors.filter(isUnexpected).slice(0, errorsMax))
          log.error(
            { err: causeOf(error), path: error.path, requestId },
            'unexpected error in a field',
          );
      },
      async willSendResponse({ response, request }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        if (!singleResult.errors) return;
        const omitted = singleResult.errors.length - errorsMax;
        if (omitted > 0)
          singleResult.extensions = { ...singleResult.extensions, errorsOmitted: omitted };
        singleResult.errors = singleResult.errors.slice(0, errorsMax).map((error) => ({
          ...error,
          extensions: { ...error.extensions, requestId },
        }));
        const { status = 200 } = response.http;
        response.http.status = statusFor(status, request.http, singleResult.errors);
      },
    };
  },
});
