import type { Call } from '@roster/bus';

/**
 * Calls whose pages one statement reads at most: PostgreSQL takes 10 ms for a page of the largest contacts, which those beside it
 * wait for.
 */
const callsMax = 16;
/** Bytes of the pages of a batch. */
const batchBytesMax = 16 * 1024 * 1024;
/** A page may have this part of them, however few calls the batch has. */
const partsMin = 32;

/** A page as a statement returns it. */
export interface BoundedPage {
  /** Null where it has too many bytes. */
  text: string | null;
  /** Null for an empty page. */
  bytes: number | null;
}

/** A page that is not read with others. */
export class LargePage {
  /** @param bytes about how many it has */
  constructor(readonly bytes: number) {}
}

/**
 * Selects a page as text, or, if it is too large, how large it is.
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
 * Reads the pages of a batch, some at a time. Once a workspace has a page that is too large, its further pages count as large
 * and are not read.
 *
 * @param read the pages of some of the calls, none with a text of more than `bytesMax` bytes
 */
export async function readPages<C extends Call, Page extends BoundedPage>(
  calls: readonly C[],
  read: (some: C[], bytesMax: number) => Promise<Page[]>,
): Promise<(Page | LargePage)[]> {
  const bytesMax = Math.floor(batchBytesMax / Math.max(partsMin, calls.length));
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
