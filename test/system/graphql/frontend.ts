import { Client } from '../client.js';
import type { SharedRoster } from '../running-roster.js';

interface GraphqlError {
  path: string[];
  extensions: { code: string; existingId?: string; errors?: { pointer: string }[] };
}

export interface Answer {
  data: unknown;
  errors?: GraphqlError[];
}

export type Frontend = Awaited<ReturnType<typeof newFrontend>>;

/** Sends GraphQL documents as the owner of a new workspace. */
export async function newFrontend(roster: SharedRoster, name: string) {
  const { apiKey } = await roster.newWorkspace(name);
  const client = new Client({ baseUrl: roster.baseUrl, apiKey });
  const attempt = async (query: string, variables: object = {}) =>
    (await client.post<Answer>('/graphql', { query, variables })).body;
  const query = async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const { data, errors } = await attempt(query, variables);
    if (errors) throw new Error(JSON.stringify(errors));
    return data as Data;
  };
  return { apiKey, url: `${roster.baseUrl}/graphql`, attempt, query };
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** What the system does in the background. */
export const soon = { timeoutMs: 30_000 };
