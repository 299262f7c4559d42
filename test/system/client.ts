/** A response. `body` is parsed JSON, and the text of other media types. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}

/** A minimal REST client: fetch, an API key, JSON. */
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
    const response = await fetch(this.#baseUrl + path, {
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
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const read = isJson ? response.json() : response.text();
    return { status: response.status, headers: response.headers, body: (await read) as Body };
  }

  get = <Body>(path: string) => this.send<Body>('GET', path);
  post = <Body>(path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send<Body>('POST', path, body, headers);
  put = <Body>(path: string, body?: unknown) => this.send<Body>('PUT', path, body);
  delete = <Body>(path: string) => this.send<Body>('DELETE', path);
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

export interface Contact {
  id: string;
  email: string;
  name: string;
  createdAt: string;
  tags: string[];
  properties: Record<string, string>;
  status: string;
}
