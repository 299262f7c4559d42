import { paginationBytesMax, positionFields } from '@roster/contracts';
import type { RestOperation } from './rest-operations.js';

/** Maximum length of the header: proxies and clients limit the headers of a response. */
export const linksMax = 3 * 1024;

interface Pagination {
  next?: string | null;
  previous?: string | null;
  hasMore?: boolean;
}

/** Returns a function that finds the Link header (RFC 8288) of a page, or undefined for operations without pages. */
export function pageLinksOf({
  http,
  output,
}: RestOperation): ((url: string, result: Uint8Array) => string | undefined) | undefined {
  if (!('shape' in output) || !('pagination' in (output.shape as object))) return undefined;
  // Relative to the path of the request, so that a proxy may add a prefix to it.
  const list = http.path.slice(http.path.lastIndexOf('/') + 1);
  return (url, result) => {
    const pagination = paginationIn(result);
    if (!pagination) return undefined;
    const { next, previous, hasMore = true } = pagination;
    const kept = keptParameters(url);
    const link = (rel: string, position: string) => {
      const query = kept && position ? `${kept}&${position}` : kept + position;
      return `<${list}${query && `?${query}`}>; rel="${rel}"`;
    };
    let links = link('first', '');
    if (previous != null)
      links += `, ${link('prev', `before=${encodeURIComponent(previous)}&from=oldest`)}`;
    if (next != null && hasMore) links += `, ${link('next', `after=${encodeURIComponent(next)}`)}`;
    // All are omitted: without only the link to the next page, the page would look like the last one.
    return links.length <= linksMax ? links : undefined;
  };
}

const opening = Buffer.from('"pagination":{');

/** The pagination of a result, which is its last field: only that is parsed. Text in strings has its quotes escaped. */
function paginationIn({ buffer, byteOffset, byteLength }: Uint8Array): Pagination | undefined {
  const length = Math.min(byteLength, paginationBytesMax);
  const end = Buffer.from(buffer, byteOffset + byteLength - length, length);
  const start = end.lastIndexOf(opening);
  if (start < 0) return undefined;
  const { pagination } = JSON.parse(`{${end.toString('utf8', start)}`) as {
    pagination: Pagination;
  };
  return pagination;
}

/** The parameters that select the list, encoded again: the URL may contain characters that a header must not. */
function keptParameters(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const parameters = new URLSearchParams(url.slice(start + 1));
  for (const name of positionFields) parameters.delete(name);
  return parameters.toString();
}
