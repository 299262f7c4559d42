import { session } from '../session/session.js';
import { gatewayUrl } from '../boot.js';
import { Problem, problemOf } from './problem.js';

/** The text of an operation, with the types of its result and variables. */
export type Document<Result, Variables> = string & {
  readonly types?: (variables: Variables) => Result;
};

interface Response<Result> {
  data?: Result | null;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

/**
 * Sends a query or mutation with the token of the session, and once more with a new one if it is refused.
 *
 * @throws Problem; the reason of the signal
 */
export async function request<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const response = await session.fetch(`${gatewayUrl}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: document, variables }),
    ...(signal && { signal }),
  });
  if (!response.headers.get('content-type')?.includes('graphql')) throw await problemOf(response);
  const { data, errors } = (await response.json()) as Response<Result>;
  const [error] = errors ?? [];
  if (error) {
    const problem = new Problem({
      ...error.extensions,
      detail: error.message,
      status: response.status,
    });
    if (problem.code === 'insufficient_scope' && error.message.endsWith('sign in again.'))
      session.requireSignIn(
        'This needs a sign-in within the last ten minutes. Sign in again, then repeat it.',
      );
    throw problem;
  }
  return data!;
}
