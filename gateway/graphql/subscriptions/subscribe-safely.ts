import type { Log } from '@roster/process';
import { GraphQLError, subscribe, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { GraphqlContext } from '../context.js';
import { causeOf, formatError, isUnexpected } from '../errors.js';

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
  const { requestId } = args.contextValue as GraphqlContext;
  const shown = (result: ExecutionResult): ExecutionResult =>
    result.errors
      ? { ...result, errors: result.errors.map((one) => show(one, requestId, log)) }
      : result;
  const source = await subscribe(args);
  if (!(Symbol.asyncIterator in source)) return shown(source);
  const results = source;
  let ended = false;
  const done = { done: true, value: undefined } as const;
  const formatted: Results = {
    async next() {
      if (ended) return done;
      try {
        await ready();
        const { done: isDone, value } = await results.next();
        return isDone ? done : { done: false, value: shown(value) };
      } catch (error) {
        ended = true;
        return { done: false, value: { errors: [show(error, requestId, log)] } };
      }
    },
    async return() {
      ended = true;
      await results.return();
      return done;
    },
    async throw(error) {
      ended = true;
      return results.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      ended = true;
      await results.return();
    },
  };
  return formatted;
}

function show(error: unknown, requestId: string, log: Log): GraphQLError {
  if (isUnexpected(error))
    log.error({ err: causeOf(error), requestId }, 'unexpected error in a subscription');
  const plain = error instanceof GraphQLError ? error.toJSON() : { message: String(error) };
  const code = plain.extensions?.['code'] ?? 'INTERNAL_SERVER_ERROR';
  const formatted = formatError({ ...plain, extensions: { ...plain.extensions, code } }, error);
  const { http: _, ...extensions } = formatted.extensions ?? {};
  return new GraphQLError(formatted.message, { extensions: { ...extensions, requestId } });
}
