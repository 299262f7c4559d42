import { gatewayUrl } from '../boot.js';
import { session } from '../session/session.js';
import { problemOf } from './problem.js';

interface RestOptions {
  body?: object;
  /** The change is made only if the resource is still the one with this tag. */
  ifMatch?: string | undefined;
  /** Names what the reader wants, so that sending it again does not do it twice. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  /** The request goes on when the page is left. */
  keepalive?: boolean;
}

export interface Answer<Result> {
  data: Result;
  /** The version of the resource, for `ifMatch`. */
  etag: string | undefined;
}

/**
 * Sends a request of the REST API: for what is compared (`ETag`) or repeated safely (`Idempotency-Key`), which GraphQL lacks.
 *
 * @throws Problem; the reason of the signal
 */
export async function rest<Result>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, ifMatch, idempotencyKey, signal, keepalive = false }: RestOptions = {},
): Promise<Answer<Result>> {
  const response = await session.fetch(gatewayUrl + path, {
    method,
    keepalive,
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return {
    data: (await response.json()) as Result,
    etag: response.headers.get('etag') ?? undefined,
  };
}
