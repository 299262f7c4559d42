import { Json, type Answer, type Call, type Handler } from '@roster/bus';
import {
  contactPosition,
  emailKey,
  Fault,
  invalidFields,
  type ContactSort,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { unpackContacts, type PackedContact } from '../../reading/contact.js';
import { fittingCount } from '../../reading/page.js';
import type { ContactsService } from '../../service.js';
import { countFromStart, countInIndex, isIndexed } from '../../reading/count-contacts.js';
import { FilterSizes } from '../../reading/filter-sizes.js';
import { gatherContacts, type Gathering } from '../../reading/gather-contacts.js';
import {
  searchLimits,
  searchOf,
  type FoundPage,
  type Search,
  type SearchLimits,
} from '../../reading/search.js';
import { walkContacts, type Walk } from '../../reading/walk-contacts.js';

type FindContacts = Operations['contacts.find'];
type FindCall = Call<InputOf<FindContacts>>;

interface Total {
  total: number | null;
  totalIsEstimate?: true;
}

/** A page, and the position after which the next one begins. */
interface Page {
  page: FoundPage;
  nextKey: string | null;
}

/** Contacts that match a filter, in any order. Each call is a part of its own, because the plans depend on the filter. */
export const findContacts = (
  { database, links }: Pick<ContactsService, 'database' | 'links'>,
  limits = searchLimits,
  sizes = new FilterSizes(),
): Handler<FindContacts> =>
  Object.assign(
    async ([call]: FindCall[]): Promise<Answer<OutputOf<FindContacts>>[]> => [
      await findPage({ database, links, sizes }, call!, limits),
    ],
    { partsOf: (calls: readonly FindCall[]) => calls.map((_, index) => [index]) },
  );

async function findPage(
  { database, links, sizes }: Pick<ContactsService, 'database' | 'links'> & { sizes: FilterSizes },
  call: FindCall,
  limits: SearchLimits,
): Promise<Answer<OutputOf<FindContacts>>> {
  const search = searchOf(call.caller, call.input, limits);
  if (search instanceof Fault) return search;
  await placeAfter(search, database);
  const { page, nextKey, ...total } = await find(database, search, sizes);
  const [write] = await links.writersOf([call]);
  const { sort, limit, offset } = search;
  const requested = unpackContacts(page.text).slice(0, limit);
  const shown = requested.slice(0, fittingCount(requested));
  const next = shown.length < requested.length ? keyOf(sort, shown.at(-1)!) : nextKey;
  const pagination = JSON.stringify({
    ...total,
    limit,
    offset,
    next: next === null ? null : contactPosition.ofKey(sort, next),
  });
  return new Json(`{"contacts":[${shown.map(write!).join(',')}],"pagination":${pagination}}`);
}

/**
 * Sets the key of the address after which a page begins. It is the address itself where a contact has kept a former key: another
 * one had the normal form when keys were rewritten, or a process of 0.2.0 wrote it.
 */
async function placeAfter({ position, values }: Search, database: Database): Promise<void> {
  const address = position.aboveEmail;
  const key = emailKey(address);
  if (key === address) return;
  const [kept] = await database.query<object>(selectKey, [values[0], address]);
  if (!kept) position.aboveEmail = key;
}

const selectKey: Statement = {
  name: 'contacts.find-key',
  text: `
    select 1 from contacts.contacts
    where workspace_id = $1::uuid and email_key = $2::text collate "C"`,
};

const keyOf = (sort: ContactSort, { id, email }: PackedContact): string =>
  sort === 'email' ? emailKey(email) : id;

async function find(database: Database, search: Search, sizes: FilterSizes): Promise<Page & Total> {
  const { limits } = search;
  const gather = once(() => gatherContacts(database, search));
  const paged = (gathering: Gathering) => {
    if (gathering.examined <= limits.firstRows) sizes.remember(search, 'few');
    return pageOf(search, gathering);
  };
  if (search.conditions.includes('email')) {
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

/** Counts the contacts that match, unless a search of the last seconds has found too many. */
async function countOnce(
  database: Database,
  search: Search,
  first: Walk,
  gather: () => Promise<Gathering | undefined>,
  sizes: FilterSizes,
): Promise<Total> {
  if (sizes.of(search) === 'many') return totalOfWhole(search, first) ?? beyond(search, first);
  const total = await count(database, search, first, gather);
  if (total.totalIsEstimate) sizes.remember(search, 'many');
  return total;
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
  if (isIndexed(search)) {
    const counted = await countInIndex(database, search);
    return counted === undefined ? beyond(search, first) : { total: counted };
  }
  if (estimateOf(search, first) > limits.gathered) {
    const counted = await countFromStart(database, search);
    if (counted > limits.counted) return beyond(search, first);
    if (first.contacts <= limits.countedRows) return { total: counted };
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
 * Unsubscribed contacts and those of a period are read from an index, and do not show which part of the workspace they are:
 * without an estimate, the total is a lower bound.
 */
const estimateOf = (search: Search, first: Walk): number =>
  search.conditions.includes('unsubscribed') || search.conditions.includes('created')
    ? 0
    : Math.round(shareOf(search, first) * first.contacts);

/** The number of contacts that match, if a walk has read the list from its beginning to its end. */
function totalOfWhole(
  { isFirst, limit }: Search,
  { found, skipped, walked_to }: Walk,
): Total | undefined {
  return isFirst && found <= limit && walked_to === null ? { total: skipped + found } : undefined;
}

/** The part of the first contacts that match. */
const shareOf = ({ limits }: Search, { found, skipped, last_at }: Walk): number =>
  (found + skipped) / (last_at ?? limits.firstRows);

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

const farOffset = invalidFields([
  { pointer: '/offset', message: 'is too great for this filter: use `after` instead' },
]);
