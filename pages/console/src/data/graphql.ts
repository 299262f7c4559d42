import { session } from '../session/session.js';
import { gatewayUrl } from '../boot.js';
import { bodyOf } from './body.js';
import { isTemporary, Problem, problemOf } from './problem.js';

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
  idempotencyKey?: string,
): Promise<Result> {
  const response = await session.fetch(`${gatewayUrl}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: bodyOf(document, variables),
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

/** Keys of writes whose outcome is not known, by what they write. */
const unknown = new Map<string, string>();

/**
 * Sends a mutation. If its outcome is not known, because the connection broke or a part of the system was away, the same write has
 * the same Idempotency-Key when it is sent again, and changes nothing twice.
 *
 * @throws Problem
 */
export async function write<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const what = document + JSON.stringify(variables);
  const key = unknown.get(what) ?? newKey();
  unknown.delete(what);
  try {
    return await request(document, variables, undefined, key);
  } catch (error) {
    if (isTemporary(error)) unknown.set(what, key);
    throw error;
  }
}

/** An Idempotency-Key. `randomUUID` exists only with https and on localhost. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
