/** The body of a request for an operation of GraphQL. */
export const bodyOf = (query: string, variables: unknown): string =>
  JSON.stringify({ query, variables });
