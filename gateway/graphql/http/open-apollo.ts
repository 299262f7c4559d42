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
import { DocumentStore } from '../document/document-store.js';
import { errorsMax } from '../document/limits.js';
import { refused, causeOf, formatError, isUnexpected } from '../errors.js';
import { tooLarge } from '../request/request-budget.js';
import { serializeInTurns, serializeResponse } from '../request/serialize-response.js';
import { statusFor } from './response-status.js';

export interface ApolloOptions {
  schema: GraphQLSchema;
  checker: DocumentChecker;
  log: Log;
  introspection: boolean;
  /** Store of parsed documents. */
  documents?: DocumentStore;
}

/** Opens an Apollo Server without reporting and landing pages, which would contact or link to external servers. */
export async function openApollo({
  schema,
  checker,
  log,
  introspection,
  documents = new DocumentStore(),
}: ApolloOptions): Promise<ApolloServer<GraphqlContext>> {
  const apollo = new ApolloServer<GraphqlContext>({
    schema,
    documentStore: documents,
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
    stringifyResult: serializeResponse,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      checkDocuments(checker, documents),
      markReplays(),
      boundResponse(),
      reportErrors(log),
    ],
  });
  await apollo.start();
  return apollo;
}

/** Smaller documents take less than a millisecond for all steps together. */
const largeTokensMin = 250;
/** Length of a document that may have so many tokens. */
const largeTextMin = 1000;

/**
 * Rejects documents that exceed the limits or are invalid, and stores the others. Each step with a large document is done in its
 * own turn of the event loop.
 */
const checkDocuments = (
  checker: DocumentChecker,
  documents: DocumentStore,
): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { budget, nextSlice } }) {
    const validate = async (document: DocumentNode) => {
      if (isLarge(document) && !checker.isValid(document)) await nextSlice();
      return checker.validate(document);
    };
    return {
      async parsingDidStart({ source }) {
        if (source.length >= largeTextMin) await nextSlice();
      },
      async didResolveOperation({ document, request, operation }) {
        budget.takeRequest(document, request.variables);
        if (isLarge(document)) await nextSlice();
        budget.takeCost(checker.checkLimits(document, request.variables));
        if (
          operation?.operation === OperationTypeNode.SUBSCRIPTION &&
          (await validate(document)).length === 0
        )
          throw refused(
            'use_subscription_transport',
            'Subscriptions require SSE ("Accept: text/event-stream") or WebSocket.',
          );
      },
      async responseForOperation({ document, queryHash, operation, request }) {
        if (!checker.isValid(document)) {
          const errors = await validate(document);
          if (errors.length > 0) return rejected(errors, 'GRAPHQL_VALIDATION_FAILED');
          documents.keep(queryHash!, document);
        }
        const errors = operation ? checker.checkVariables(operation, request.variables) : [];
        if (errors.length > 0) return rejected(errors, 'BAD_USER_INPUT');
        if (isLarge(document)) await nextSlice();
        return null;
      },
    };
  },
});

const isLarge = ({ tokenCount = 0 }: DocumentNode): boolean => tokenCount >= largeTokensMin;

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

/** Replaces results that are too large, and serializes large ones in slices: serialized at once, they would block the event loop. */
const boundResponse = (): ApolloServerPlugin<GraphqlContext> => ({
  async requestDidStart({ contextValue: { budget, nextSlice, requestId } }) {
    return {
      async willSendResponse({ response, operation }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const isAdmitted = budget.isLarge
          ? await serializeInTurns(singleResult, budget, nextSlice)
          : budget.admits(singleResult);
        if (isAdmitted) return;
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
