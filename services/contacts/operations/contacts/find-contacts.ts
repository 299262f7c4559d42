import { Json, type Answer, type Call, type Handler } from '@roster/bus';
import {
  contactPosition,
  emailKey,
  Fault,
  isPropertySort,
  nameKey,
  type ContactSort,
  type InputOf,
  type Operations,
  type OutputOf,
  type PlacedContact,
  type PropertySort,
} from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { hasBeyond } from '../../reading/beyond-page.js';
import { unpackContacts, type PackedContact } from '../../reading/contact.js';
import { FilterSizes } from '../../reading/filter-sizes.js';
import { findPage } from '../../reading/find-page.js';
import { fittingCount } from '../../reading/page.js';
import {
  searchLimits,
  searchOf,
  type FoundPage,
  type Search,
  type SearchLimits,
} from '../../reading/search.js';
import { sortContacts } from '../../reading/sort-contacts.js';
import type { PropertyTypes } from '../../reading/value-filter.js';
import type { ContactsService } from '../../service.js';
import { typeOfSort, typesOfFilter } from '../../writing/definitions/types-of-filter.js';

type FindContacts = Operations['contacts.find'];
type FindCall = Call<InputOf<FindContacts>>;
type Service = Pick<ContactsService, 'database' | 'links' | 'definitions'>;
type Searching = Service & { sizes: FilterSizes };

/** Contacts that match a filter, in any order. Each call is a part of its own, because the plans depend on the filter. */
export const findContacts = (
  { database, links, definitions }: Service,
  limits = searchLimits,
  sizes = new FilterSizes(),
): Handler<FindContacts> =>
  Object.assign(
    async ([call]: FindCall[]): Promise<Answer<OutputOf<FindContacts>>[]> => [
      await answerCall({ database, links, definitions, sizes }, call!, limits),
    ],
    { partsOf: (calls: readonly FindCall[]) => calls.map((_, index) => [index]) },
  );

async function answerCall(
  searching: Searching,
  call: FindCall,
  limits: SearchLimits,
): Promise<Answer<OutputOf<FindContacts>>> {
  const { database, sizes } = searching;
  const { sort = 'createdAt', fromEnd = false, around = false } = call.input;
  const { workspaceId } = call.caller;
  const types = await typesOfFilter(searching, workspaceId, call.input, database);
  if (isPropertySort(sort)) return answerSorted(searching, call, sort, types, limits);
  const search = searchOf(call.caller, call.input, limits, types);
  if (search instanceof Fault) return search;
  await placeEmails(search, database);
  const { page, nextKey, ...total } = await findPage(database, search, sizes);
  const { requested, shown } = shownOf(page, search);
  const next = shown.length < requested.length ? keyOf(sort, shown.at(-1)!) : nextKey;
  const ends = { isEmpty: shown.length === 0, isMore: next !== null };
  return answerWith(searching, call, shown, {
    ...total,
    next: next === null ? null : contactPosition.ofKey(sort, next),
    ...(around && (await surroundings(searching, search, ends, fromEnd))),
  });
}

async function answerSorted(
  searching: Searching,
  call: FindCall,
  sort: PropertySort,
  types: PropertyTypes,
  limits: SearchLimits,
): Promise<Answer<OutputOf<FindContacts>>> {
  const { caller, input } = call;
  const { database } = searching;
  const type = await typeOfSort(searching, caller.workspaceId, sort, database);
  const page = await sortContacts(database, caller, { ...input, sort }, type, types, limits);
  if (page instanceof Fault) return page;
  const { requested, shown } = shownOf(page, input);
  const isMore = page.found > requested.length || shown.length < requested.length;
  const last = isMore ? shown.at(-1) : undefined;
  const { isBehind, isBeyond, matched } = page;
  const isAhead = isMore || isBeyond;
  const [hasPrevious, hasNext] = input.fromEnd ? [isAhead, isBehind] : [isBehind, isAhead];
  return answerWith(searching, call, shown, {
    total: input.counted ? matched : null,
    next: last ? contactPosition.of(sort, JSON.parse(last.json) as PlacedContact) : null,
    ...(input.around && { hasNext, hasPrevious }),
  });
}

/** The contacts of a page that were requested, in the order in which they were read, and those of them that fit into it. */
function shownOf({ text }: FoundPage, { limit }: { limit: number }) {
  const requested = unpackContacts(text).slice(0, limit);
  return { requested, shown: requested.slice(0, fittingCount(requested)) };
}

async function answerWith(
  { links }: Service,
  call: FindCall,
  shown: readonly PackedContact[],
  { next, hasNext, hasPrevious, ...total }: Omit<Pagination, 'limit' | 'offset'>,
): Promise<Json> {
  const { limit, offset, fromEnd } = call.input;
  const [write] = await links.writersOf([call]);
  const contacts = (fromEnd ? shown.toReversed() : shown).map(write!);
  const pagination = { ...total, limit, offset, next, hasNext, hasPrevious };
  return new Json(
    `{"contacts":[${contacts.join(',')}],"pagination":${JSON.stringify(pagination)}}`,
  );
}

type Pagination = OutputOf<FindContacts>['pagination'];

/** @param ends whether the page is empty, and whether the search continues after it */
async function surroundings(
  { database, sizes }: Searching,
  search: Search,
  { isEmpty, isMore }: { isEmpty: boolean; isMore: boolean },
  fromEnd: boolean,
): Promise<{ hasNext: boolean; hasPrevious: boolean }> {
  const isSkipped = search.offset > 0 && !isEmpty;
  const isBehind = isSkipped || (await hasBeyond(database, search, sizes, 'start'));
  const isAhead = isMore || (await hasBeyond(database, search, sizes, 'end'));
  return {
    hasNext: fromEnd ? isBehind : isAhead,
    hasPrevious: fromEnd ? isAhead : isBehind,
  };
}

/**
 * Sets the keys of the addresses between which a page is. A key is the address itself where a contact has kept a former key: another
 * one had the normal form when keys were rewritten, or a process of 0.2.0 wrote it.
 */
async function placeEmails(search: Search, database: Database): Promise<void> {
  if (!search.reading.startsWith('email_key')) return;
  for (const end of ['low', 'high'] as const) {
    const address = search[end] ?? '';
    const key = emailKey(address);
    if (key === address) continue;
    const [kept] = await database.query<object>(selectKey, [search.values[0], address]);
    if (!kept) search[end] = key;
  }
}

const selectKey: Statement = {
  name: 'contacts.find-key',
  text: `
    select 1 from contacts.contacts
    where workspace_id = $1::uuid and email_key = $2::text collate "C"`,
};

function keyOf(sort: ContactSort, { id, email, name, changeId }: PackedContact): string {
  if (sort.endsWith('email')) return emailKey(email);
  if (sort.endsWith('name')) return nameKey(JSON.parse(name) as string, id);
  return sort.endsWith('updatedAt') ? changeId : id;
}
