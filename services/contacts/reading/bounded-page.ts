import type { Call } from '@roster/bus';

/**
 * Maximum number of pages read by one statement. PostgreSQL takes 10 ms for a page of the largest contacts, and the other calls of
 * the statement wait for it.
 */
const callsMax = 16;
/** Maximum size of the pages of a batch. */
const batchBytesMax = 16 * 1024 * 1024;
/** A batch is divided into at least this many parts, so that one page does not take all of it. */
const partsMin = 32;

/** A page as returned by a statement. */
export interface BoundedPage {
  /** Null if it is too large, or empty. */
  text: string | null;
  /** Null for an empty page. */
  bytes: number | null;
}

/** A page that is too large to be read with others. */
export class LargePage {
  /** @param bytes approximate size */
  constructor(readonly bytes: number) {}
}

/**
 * Selects a page as text or, if it is too large, only its size.
 *
 * @param packed an aggregate of the rows `c`
 * @param rows a query
 * @param bytesMax a parameter
 */
export const boundedPage = (packed: string, rows: string, bytesMax: string): string => `
  select case when octet_length(packed) <= ${bytesMax}::int then packed end as text,
    octet_length(packed) as bytes
  from (select ${packed} as packed from (${rows}) c offset 0) p`;

/**
 * Reads the pages of a batch, at most 16 at a time. After a page that is too large, further pages of its workspace are treated as
 * large and not read.
 *
 * @param read reads the pages of some calls; without text if it exceeds `bytesMax` bytes
 * @param pageBytesMax maximum size of a page that is read with others, also in a batch of few calls
 */
export async function readPages<C extends Call, Page extends BoundedPage>(
  calls: readonly C[],
  read: (some: C[], bytesMax: number) => Promise<Page[]>,
  pageBytesMax = Infinity,
): Promise<(Page | LargePage)[]> {
  const share = Math.floor(batchBytesMax / Math.max(partsMin, calls.length));
  const bytesMax = Math.min(share, pageBytesMax);
  const largeOf = new Map<string, LargePage>();
  const pages: (Page | LargePage)[] = [];
  for (let from = 0; from < calls.length; from += callsMax) {
    const portion = calls.slice(from, from + callsMax);
    const unread = portion.filter(({ caller }) => !largeOf.has(caller.workspaceId));
    const found = unread.length > 0 ? await read(unread, bytesMax) : [];
    const foundFor = new Map(unread.map((call, at) => [call, found[at]!]));
    for (const call of portion) {
      const page = foundFor.get(call) ?? largeOf.get(call.caller.workspaceId)!;
      if (page instanceof LargePage || page.text !== null || page.bytes === null) {
        pages.push(page);
        continue;
      }
      const large = new LargePage(page.bytes);
      largeOf.set(call.caller.workspaceId, large);
      pages.push(large);
    }
  }
  return pages;
}
