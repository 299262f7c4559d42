import { Roster } from '@roster/client';
import { responseCheck } from './openapi/check-response.js';

export type { Contact } from '@roster/client';

/** A response. `body` is parsed JSON, and the text of other media types. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}

/** The client library. A response that does not conform to the OpenAPI document of the system is an error. Nothing is repeated. */
export function openRoster({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Roster {
  const checked: typeof fetch = async (input, init) => {
    const { pathname: path } = new URL(input instanceof Request ? input.url : input);
    const check = await responseCheck(baseUrl, path);
    const response = await fetch(input, init);
    const { status, headers } = response;
    const isJson = /json/.test(headers.get('content-type') ?? '');
    const body: unknown = isJson ? await response.clone().json() : undefined;
    check({ method: init?.method ?? 'GET', path, status, headers, ...(isJson && { body }) });
    return response;
  };
  return new Roster({ baseUrl, apiKey, fetch: checked, retries: 0 });
}

/**
 * A minimal REST client for tests about HTTP itself: fetch, an API key, JSON. A response that does not conform to the OpenAPI document of the system is
 * an error.
 */
export class Client {
  readonly #baseUrl: string;
  readonly #apiKey: string;

  constructor({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  async send<Body = Record<string, never>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const { response, check } = await this.#fetch(method, path, body, headers);
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const read = (await (isJson ? response.json() : response.text())) as Body;
    check({ body: read });
    return { status: response.status, headers: response.headers, body: read };
  }

  /** A response whose body the caller reads. */
  async open(path: string): Promise<Response> {
    const { response, check } = await this.#fetch('GET', path);
    check();
    return response;
  }

  /** Sends a request. The response is to be checked against the OpenAPI document, with its body if it is read. */
  async #fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ response: Response; check: (read?: { body: unknown }) => void }> {
    const url = new URL(this.#baseUrl + path);
    const check = await responseCheck(this.#baseUrl, url.pathname);
    const response = await fetch(url, {
      method,
      redirect: 'error',
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers: received } = response;
    const head = { method, path: url.pathname, status, headers: received };
    return { response, check: (read) => check({ ...head, ...read }) };
  }

  get = <Body>(path: string) => this.send<Body>('GET', path);
  post = <Body>(path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send<Body>('POST', path, body, headers);
  put = <Body>(path: string, body?: unknown) => this.send<Body>('PUT', path, body);
  delete = <Body>(path: string) => this.send<Body>('DELETE', path);
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Runs `work` on every item with limited concurrency, and returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = Array.from({ length: items.length });
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let index = next++; index < items.length; index = next++)
        results[index] = await work(items[index]!, index);
    }),
  );
  return results;
}
