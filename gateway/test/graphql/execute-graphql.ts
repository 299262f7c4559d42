import type { TestGateway } from '../test-gateway.js';

export interface GraphqlError {
  message: string;
  path?: (string | number)[];
  extensions: {
    code: string;
    requestId: string;
    errors?: { pointer: string; message: string }[];
    existingId?: string;
    retryAfterSeconds?: number;
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of many shapes
type Data = any;

export interface GraphqlResponse {
  status: number;
  headers: Headers;
  text: string;
  data?: Data;
  errors?: GraphqlError[];
}

/** Executes one operation with POST. */
export async function executeGraphql(
  { post }: Pick<TestGateway, 'post'>,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<GraphqlResponse> {
  const response = await post(
    '/graphql',
    { query, variables },
    { accept: 'application/graphql-response+json', ...headers },
  );
  const text = await response.text();
  const body = JSON.parse(text) as Pick<GraphqlResponse, 'data' | 'errors'>;
  return { status: response.status, headers: response.headers, text, ...body };
}

/** `executeGraphql` on the gateway of a file of tests. */
export const executeOn =
  (gateway: () => TestGateway) =>
  (
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<GraphqlResponse> =>
    executeGraphql(gateway(), query, variables, headers);

export const codesOf = ({ errors = [] }: Pick<GraphqlResponse, 'errors'>): string[] =>
  errors.map(({ extensions }) => extensions.code);
