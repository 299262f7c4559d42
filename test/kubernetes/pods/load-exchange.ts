import { request, type Agent } from 'node:http';
import type { Prepared } from './load-requests.js';

export interface Answer {
  /** A status, or the error of the connection. */
  outcome: string;
  body: string;
  ms: number;
}

interface Via {
  url: string;
  apiKey: string;
  /** `false`: a new connection. */
  agent: Agent | false;
  timeoutMs: number;
}

/** Sends a request. A connection error and a timeout are outcomes, too. */
export function exchange(
  prepared: Prepared,
  { url, apiKey, agent, timeoutMs }: Via,
): Promise<Answer> {
  const { method, path, body, headers } = prepared;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome: string, text = '') =>
      resolve({ outcome, body: text, ms: Math.round(performance.now() - startedAt) });
    const sent = request(
      `${url}${path}`,
      {
        method,
        agent,
        headers: { authorization: `Bearer ${apiKey}`, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => settle(describe(error)));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          settle(outcomeOf(response.statusCode!, path, text), text);
        });
      },
    );
    const timer = setTimeout(() => sent.destroy(new Error('no response in time')), timeoutMs);
    sent.on('error', (error) => settle(describe(error)));
    sent.on('close', () => clearTimeout(timer));
    sent.end(body);
  });
}

/** The status; for GraphQL, which answers 200 to failed operations too, also the error code or a missing contact. */
function outcomeOf(status: number, path: string, text: string): string {
  if (path !== '/graphql' || status !== 200) return String(status);
  const { data, errors } = JSON.parse(text) as GraphqlAnswer;
  if (errors) return `200 ${errors[0]?.extensions?.code}`;
  return data?.contact ? '200' : '200 without the contact';
}

interface GraphqlAnswer {
  data?: { contact?: object | null } | null;
  errors?: { extensions?: { code?: string } }[];
}

const describe = (error: Error & { code?: string }): string => error.code ?? error.message;
