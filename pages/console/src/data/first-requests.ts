import {
  Contacts,
  type ContactFilter,
  type ContactSort,
} from '../screens/contacts/contacts.graphql.js';
import { bodyOf } from './body.js';
import { LatestEvents } from './live.graphql.js';
import { ContactProperties } from './properties.graphql.js';

/** An order of the list, or one by the values of a property, as REST names it. */
export type Order = ContactSort | PropertyOrder;
export type PropertyOrder = `${'' | '-'}property:${string}`;

export const newestFirst: ContactSort = 'CREATED_AT_DESC';

export const isByProperty = (order: string): order is PropertyOrder =>
  /^-?property:[A-Za-z]\w*$/.test(order);

/** Variables of a page of contacts. */
export const pageOfContacts = (
  after: string | null,
  filter: ContactFilter | undefined,
  order: Order,
) => ({
  first: 100,
  after,
  filter: filter ?? null,
  ...(isByProperty(order)
    ? {
        sortProperty: {
          name: order.slice(order.indexOf(':') + 1),
          descending: order.startsWith('-'),
        },
      }
    : { sort: order }),
});

/**
 * Bodies of what a screen without filters asks for before its rows are shown, by its name. The build writes them into the page, and
 * boot.js sends them while the scripts are on their way. The position of events is first: what follows it is not missed.
 */
export const firstRequests: Readonly<Record<string, readonly string[]>> = {
  contacts: [
    bodyOf(LatestEvents, {}),
    bodyOf(ContactProperties, {}),
    bodyOf(Contacts, pageOfContacts(null, undefined, newestFirst)),
  ],
};
