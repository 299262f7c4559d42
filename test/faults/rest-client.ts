import { Agent, request } from 'node:http';

/** Sends one request. Rejects without a complete response. */
export type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

export interface Answer {
  status: number;
  /** The `Retry-After` of a refused request, in seconds. */
  retryAfterSeconds?: number | undefined;
  body: { contact?: { id: string; email: string }; contacts?: unknown[]; code?: string };
}

export interface RestClientOptions {
  connectionsMax: number;
  answerTimeoutMs: number;
}

/** A client with persistent connections, used in turn, and a timeout for responses. */
export class RestClient {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #agent: Agent;
  readonly #answerTimeoutMs: number;

  constructor(
    { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
    { connectionsMax, answerTimeoutMs }: RestClientOptions,
  ) {
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, scheduling: 'fifo' });
  }

  readonly send: Send = (method, path, body, headers) => {
    const text = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#baseUrl}${path}`,
        {
          method,
          agent: this.#agent,
          timeout: this.#answerTimeoutMs,
          headers: {
            authorization: `Bearer ${this.#apiKey}`,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () => {
            const retryAfter = response.headers['retry-after'];
            resolve({
              status: response.statusCode!,
              retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
              body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
            });
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('no answer'))).on('error', reject);
      sent.end(text);
    });
  };

  close(): void {
    this.#agent.destroy();
  }
}
