import { invalidFields } from '@roster/contracts';
import type { Database } from '@roster/storage';
import { countAll, countByCounter, countFromStart } from './count-contacts.js';
import { countPeriod, isIndexed } from './count-period.js';
import type { FilterSizes } from './filter-sizes.js';
import { gatherContacts, isGatherable, type Gathering } from './gather-contacts.js';
import type { FoundPage, Search } from './search.js';
import { walkContacts, type Walk } from './walk-contacts.js';

interface Total {
  total: number | null;
  totalIsEstimate?: true;
}

/** A page, and the key of the contact after which the search continues. */
interface Page {
  page: FoundPage;
  nextKey: string | null;
}

/** Reads a page, and counts the contacts that match if that is requested. */
export async function findPage(
  database: Database,
  search: Search,
  sizes: FilterSizes,
): Promise<Page & Total> {
  const { limits } = search;
  const gather = once(() => gatherContacts(database, search));
  const paged = (gathering: Gathering) => {
    if (gathering.examined <= limits.firstRows) sizes.remember(search, 'few');
    return pageOf(search, gathering);
  };
  if (search.conditions.some((one) => one === 'email' || one === 'externalId')) {
    const gathering = (await gather())!;
    return { ...pageOf(search, gathering), ...totalIf(search, gathering.matched) };
  }
  if (sizes.of(search) === 'few') {
    const gathering = await gather();
    sizes.forget(search);
    if (gathering) return { ...paged(gathering), ...totalIf(search, gathering.matched) };
  }
  const first = await walkContacts(database, search, limits.firstRows);
  const total = search.counted
    ? await countOnce(database, search, first, gather, sizes)
    : { total: null };
  if (first.walked_to === null) return { ...pageOf(search, first), ...total };
  // An index would find too many again. With an offset, the page must be complete.
  const isMany = search.offset === 0 && sizes.of(search) === 'many';
  const gathering = search.conditions.length > 0 && !isMany ? await gather() : undefined;
  if (gathering) return { ...paged(gathering), ...total };
  const walk = await walkContacts(
    database,
    search,
    search.offset > 0 ? limits.offsetRows : limits.rows,
  );
  if (search.offset > 0 && walk.walked_to !== null && walk.found === 0) throw farOffset;
  return { ...pageOf(search, walk), ...((search.counted && totalOfWhole(search, walk)) || total) };
}

const totalIf = ({ counted }: Search, total: number): Total => ({ total: counted ? total : null });

function pageOf({ limit }: Search, page: FoundPage & Partial<Walk>): Page {
  const isFull = page.found > limit;
  return { page, nextKey: isFull ? page.last_key : (page.walked_to ?? null) };
}

/** Counts the contacts that match: all of them if that is requested, else unless a search of the last seconds has found too many. */
async function countOnce(
  database: Database,
  search: Search,
  first: Walk,
  gather: () => Promise<Gathering | undefined>,
  sizes: FilterSizes,
): Promise<Total> {
  const known = await countByCounter(database, search);
  if (known !== undefined) {
    if (known > search.limits.counted) sizes.remember(search, 'many', known);
    return { total: known };
  }
  const total =
    sizes.of(search) === 'many'
      ? (totalOfWhole(search, first) ?? {
          total: sizes.estimateOf(search)!,
          totalIsEstimate: true as const,
        })
      : await count(database, search, first, gather);
  if (!total.totalIsEstimate) return total;
  if (sizes.of(search) !== 'many') sizes.remember(search, 'many', total.total!);
  return search.isExact ? { total: await countAll(database, search) } : total;
}

/** Counts contacts that match: exactly if they are few, otherwise by the part of the first contacts that match. */
async function count(
  database: Database,
  search: Search,
  first: Walk,
  gather: () => Promise<Gathering | undefined>,
): Promise<Total> {
  const { conditions, limits } = search;
  if (conditions.length === 0) return { total: first.contacts };
  const whole = totalOfWhole(search, first);
  if (whole) return whole;
  if (isIndexed(search)) return countPeriod(database, search);
  const isFound = isGatherable(search);
  if (!isFound || estimateOf(search, first) > limits.gathered) {
    const counted = await countFromStart(database, search);
    if (counted > limits.counted) return beyond(search, first);
    if (first.contacts <= limits.countedRows) return { total: counted };
    if (!isFound) {
      const estimate = Math.round((counted / limits.countedRows) * first.contacts);
      return { total: Math.max(estimate, first.skipped + first.found), totalIsEstimate: true };
    }
  }
  const gathering = await gather();
  return gathering ? { total: gathering.matched } : beyond(search, first);
}

/** The total if more contacts match than are counted. */
const beyond = (search: Search, first: Walk): Total => ({
  total: Math.max(search.limits.counted + 1, estimateOf(search, first)),
  totalIsEstimate: true,
});

/**
 * Unsubscribed contacts, those of a period and those that changed in one are read from an index, and do not show which part of the workspace they are:
 * without an estimate, the total is a lower bound.
 */
const estimateOf = (search: Search, first: Walk): number =>
  search.conditions.some((one) => ['unsubscribed', 'created', 'changed'].includes(one))
    ? 0
    : Math.round(shareOf(search, first) * first.contacts);

/** The number of contacts that match, if a walk has read the list from one end to the other. */
function totalOfWhole(
  { isWhole, limit }: Search,
  { found, skipped, walked_to }: Walk,
): Total | undefined {
  return isWhole && found <= limit && walked_to === null ? { total: skipped + found } : undefined;
}

/** The part of the first contacts that match. */
const shareOf = ({ limits }: Search, { found, skipped, last_at }: Walk): number =>
  (found + skipped) / (last_at ?? limits.firstRows);

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

const farOffset = invalidFields([
  { pointer: '/offset', message: 'is too great for this filter: page by cursors instead' },
]);
