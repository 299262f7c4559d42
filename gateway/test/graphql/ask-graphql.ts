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

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of many shapes
type Data = any;

export interface GraphqlAnswer {
  status: number;
  headers: Headers;
  text: string;
  data?: Data;
  errors?: GraphqlError[];
}

/** Posts one operation as clients do. */
export async function askGraphql(
  { post }: Pick<TestGateway, 'post'>,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> {
  const response = await post(
    '/graphql',
    { query, variables },
    { accept: 'application/graphql-response+json', ...headers },
  );
  const text = await response.text();
  const answer = JSON.parse(text) as Pick<GraphqlAnswer, 'data' | 'errors'>;
  return { status: response.status, headers: response.headers, text, ...answer };
}

export const codesOf = ({ errors = [] }: Pick<GraphqlAnswer, 'errors'>): string[] =>
  errors.map(({ extensions }) => extensions.code);
