import { contactPosition, invalidFields, type ContactSort } from '@roster/contracts';
import type { GraphqlContext } from '../../context.js';
import { errorOf } from '../../errors.js';
import { connectionOf } from '../node/connection.js';
import { readPage, type PageArguments } from '../node/page-arguments.js';
import type { ContactArguments } from './contact-arguments.js';
import type { ContactConnection } from './contact-connection.js';

/** The filter and the order of a list, without fields that are null. */
export type ContactSearch = { sort: ContactSort } & Record<string, unknown>;

/** Undefined for all contacts in the order of their creation, which are not searched. */
export function searchOf({ filter, sort }: ContactArguments): ContactSearch | undefined {
  const given = Object.entries({ ...filter }).filter(([, value]) => value != null);
  const order = sort ?? 'createdAt';
  if (given.length === 0 && order === 'createdAt') return undefined;
  return { ...Object.fromEntries(given), sort: order };
}

/**
 * @param selected names of the fields of the connection
 * @throws GraphQLError `invalid` if the page is requested from the end: a search reads in one direction
 */
export async function findContacts(
  search: ContactSearch,
  page: PageArguments,
  selected: ReadonlySet<string>,
  { operations, requestId }: GraphqlContext,
): Promise<ContactConnection> {
  const fromEnd = (['last', 'before'] as const).filter((name) => page[name] != null);
  if (fromEnd.length > 0) throw errorOf(invalidFields(fromEnd.map(isUnsupported)), requestId);
  const { limit, after } = readPage(page, requestId);
  const { contacts, pagination } = await operations.read('contacts.find', {
    ...search,
    limit,
    ...(after !== undefined && { after }),
    counted: selected.has('totalCount') || selected.has('totalIsEstimate'),
  });
  const { next, total, totalIsEstimate = false } = pagination;
  const { pageInfo, ...connection } = connectionOf(
    contacts,
    (contact) => contactPosition.of(search.sort, contact),
    { hasNext: next !== null, hasPrevious: after !== undefined },
  );
  return {
    ...connection,
    // A page may have ended after its last contact, or be empty.
    pageInfo: { ...pageInfo, endCursor: next ?? pageInfo.endCursor },
    totalCount: total,
    totalIsEstimate,
  };
}

const isUnsupported = (name: string) => ({
  pointer: `/${name}`,
  message: 'is not supported with a filter or another order than CREATED_AT: use first and after',
});
