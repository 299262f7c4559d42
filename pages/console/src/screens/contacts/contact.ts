import { rest } from '../../data/rest.js';
import type { ContactRowFragment } from './contacts.graphql.js';
import type { PropertyValue } from './property-value.js';

/** A contact as the REST API returns it. */
export interface Contact {
  id: string;
  email: string;
  name: string;
  status: 'subscribed' | 'unsubscribed';
  tags: string[];
  properties: Record<string, PropertyValue>;
  createdAt: string;
  /** Services of 0.2.0 do not return it. */
  externalId?: string | null;
}

/** A contact as lists return it. */
export interface Row extends ContactRowFragment {
  /** It was deleted since the list was read: its row stays where it is. */
  isDeleted?: boolean;
}

/** A contact, and the version that it is. */
export interface Versioned {
  contact: Contact;
  etag: string | undefined;
}

/** What a request changes. A property that is null is removed. */
export type ContactChange = Partial<Pick<Contact, 'email' | 'name' | 'externalId'>> & {
  addTags?: readonly string[];
  removeTags?: readonly string[];
  properties?: Record<string, PropertyValue | null>;
};

/** Contacts that one document of GraphQL reads by their IDs: each costs 16 of 2,000. */
export const idsMax = 100;

export async function readContact(id: string, signal?: AbortSignal): Promise<Versioned> {
  const { data, etag } = await rest<{ contact: Contact }>('GET', `/v1/contacts/${id}`, { signal });
  return { contact: data.contact, etag };
}

export const rowOf = (contact: Contact): Row => ({
  ...contact,
  status: contact.status === 'subscribed' ? 'SUBSCRIBED' : 'UNSUBSCRIBED',
});

/** Tags as people type them: `vip, newsletter`. */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
