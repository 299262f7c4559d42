import type { Answered } from './request.js';

/** The promise of a result. */
export interface Answer<T> extends Promise<T> {
  /** The result with the answer, for its headers, such as `ETag`. Its body was read. */
  withResponse(): Promise<Answered<T>>;
}

/** The promise of a page, and all entries of this page and those after it. */
export interface PagePromise<Page, Item> extends Answer<Page>, AsyncIterable<Item> {}

export function answer<T>(sent: Promise<Answered<T>>): Answer<T> {
  const data = sent.then((answered) => answered.data);
  return Object.assign(data, {
    withResponse() {
      data.catch(() => {});
      return sent;
    },
  });
}

/**
 * @param field field of a page that has its entries
 * @param request requests a page
 */
export function pages<Page, Item>(
  query: object | undefined,
  field: string,
  request: (query: object | undefined) => Promise<Answered<Page>>,
): PagePromise<Page, Item> {
  const first = answer(request(query));
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let page: Page = await first;
      for (;;) {
        yield* (page as Record<string, Item[]>)[field]!;
        const { next, hasMore = true } = (page as Paginated).pagination ?? {};
        if (next == null || !hasMore) return;
        page = (await request({ ...query, ...unset, after: next })).data;
      }
    },
  });
}

interface Paginated {
  pagination?: { next?: string | null; hasMore?: boolean };
}

/** What else selects a page. */
const unset = { offset: undefined, before: undefined, from: undefined };
