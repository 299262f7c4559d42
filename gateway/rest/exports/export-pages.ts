import type { OperationClient, RequestContext } from '../../operations/operation-client.js';
import type { NextSlice } from '../../operations/work-turns.js';
import { repeatCall } from '../long-requests.js';
import type { ExportedContact } from './csv.js';

/** Maximum number of contacts of a page. Pages have fewer if contacts are large. */
const limitMax = 100;
/** The size that pages should have, as JSON. */
const pageBytes = 256 * 1024;
/** Larger pages are not parsed, which occupies the event loop, but read again with fewer contacts. */
const pageBytesMax = 2 * pageBytes;
/** Limit of the first page: the size of contacts is unknown. */
const firstLimit = 8;

export interface ExportPagesOptions {
  client: OperationClient;
  /** Fields of the filter, as `contacts.find` takes them. */
  filter: object;
  /** Verifies the key again: an export can take longer than a verification is valid. */
  context(): Promise<RequestContext>;
  /** Before a page is parsed. */
  nextSlice: NextSlice;
  /** Aborted when no more pages are needed. */
  signal: AbortSignal;
}

interface Page {
  contacts: ExportedContact[];
  /** Cursor of the next page; null after the last. */
  next: string | null;
  bytes: number;
}

/**
 * The contacts that match a filter, in the order of creation, page by page. While a page is in use, the next one is read. A contact
 * that exists throughout is returned exactly once, whatever is changed meanwhile.
 *
 * @throws Fault if a page cannot be read; the first one is not read again
 */
export async function* exportPages(options: ExportPagesOptions): AsyncGenerator<ExportedContact[]> {
  let page = await readPage(options, undefined, firstLimit);
  for (;;) {
    const following =
      page.next === null ? undefined : readAgain(options, page.next, limitAfter(page));
    // The consumer may end before it is awaited.
    following?.catch(() => {});
    yield page.contacts;
    if (!following) return;
    page = await following;
  }
}

const limitAfter = ({ contacts, bytes }: Page): number =>
  contacts.length === 0 ? limitMax : fitting(contacts.length, bytes);

/** How many contacts a page should have if these have this size. */
const fitting = (contacts: number, bytes: number): number =>
  Math.min(limitMax, Math.max(1, Math.floor((pageBytes * contacts) / bytes)));

/** A page is larger than expected. */
class PageTooLarge extends Error {
  constructor(readonly bytes: number) {
    super(`${bytes} bytes`);
  }
}

const readAgain = (options: ExportPagesOptions, after: string, limit: number): Promise<Page> =>
  repeatCall(() => readPage(options, after, limit), options.signal);

/** Contacts can be much larger than those before them. */
async function readPage(
  options: ExportPagesOptions,
  after: string | undefined,
  limit: number,
): Promise<Page> {
  try {
    return await readOnce(options, after, limit);
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    return readPage(options, after, fitting(limit, error.bytes));
  }
}

async function readOnce(
  { client, filter, context, nextSlice, signal }: ExportPagesOptions,
  after: string | undefined,
  limit: number,
): Promise<Page> {
  signal.throwIfAborted();
  let size = 0;
  const input = { ...filter, limit, counted: false, ...(after !== undefined && { after }) };
  const found = await client.call('contacts.find', input, await context(), async (bytes) => {
    if (bytes > pageBytesMax && limit > 1) throw new PageTooLarge(bytes);
    size = bytes;
    await nextSlice();
  });
  return { contacts: found.contacts, next: found.pagination.next, bytes: size };
}
