// Generated from contacts.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Contacts that match all given fields. Fields that are null do not restrict them. */
export type ContactFilter = {
  /** Contacts created after this time. */
  createdAfter?: string | null | undefined;
  /** Contacts created before this time. */
  createdBefore?: string | null | undefined;
  /** Contacts with this address, ignoring case. */
  email?: string | null | undefined;
  /** Contacts whose properties have exactly these values: `{city: "Paris"}`. At most 20 properties. */
  property?: Record<string, unknown> | null | undefined;
  /** Contacts whose email address contains this text (with fewer than three characters: begins with it), or whose name has words that begin with all of its words. Case is ignored. */
  q?: string | null | undefined;
  status?: ContactStatus | null | undefined;
  /** Contacts with all of these tags, at most 20. */
  tag?: Array<string> | null | undefined;
};

/** Order of a list of contacts. Cursors are valid for one order. */
export type ContactSort =
  /** Oldest first. */
  | 'CREATED_AT'
  /** Newest first. */
  | 'CREATED_AT_DESC'
  /** By email address, ignoring case. */
  | 'EMAIL';

/** Subscription status of a contact. */
export type ContactStatus =
  | 'SUBSCRIBED'
  | 'UNSUBSCRIBED';

export type CreateContactInput = {
  /** Stored as given. Unique within the workspace, ignoring case. */
  email: string;
  /** At most 256 characters. */
  name?: string | null | undefined;
  /** At most 100 string values of at most 4,096 characters, 65,536 bytes of JSON together. Undefined properties are created. */
  properties?: Record<string, unknown> | null | undefined;
  /** SUBSCRIBED by default. */
  status?: ContactStatus | null | undefined;
  /** At most 100 tags of 1 to 64 characters. Duplicates are removed. */
  tags?: Array<string> | null | undefined;
};

export type ContactsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: ContactFilter | null | undefined;
  sort?: ContactSort | null | undefined;
}>;


export type ContactsQuery = { contacts: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, email: string, name: string, status: ContactStatus, tags: Array<string>, properties: Record<string, unknown>, createdAt: string }> } | null };

export type ContactCountQueryVariables = Exact<{
  filter?: ContactFilter | null | undefined;
}>;


export type ContactCountQuery = { contacts: { totalCount: number | null, totalIsEstimate: boolean } | null };

export type ContactRowFragment = { id: string, email: string, name: string, status: ContactStatus, tags: Array<string>, properties: Record<string, unknown>, createdAt: string };

export type CreateContactMutationVariables = Exact<{
  input: CreateContactInput;
}>;


export type CreateContactMutation = { createContact: { contact: { id: string, email: string, name: string, status: ContactStatus, tags: Array<string>, properties: Record<string, unknown>, createdAt: string } } };

export const Contacts = 'query Contacts($first:Int!$after:String$filter:ContactFilter$sort:ContactSort){contacts(first:$first after:$after filter:$filter sort:$sort){pageInfo{endCursor hasNextPage}nodes{...ContactRow}}}fragment ContactRow on Contact{id email name status tags properties createdAt}' as Document<ContactsQuery, ContactsQueryVariables>;

export const ContactCount = 'query ContactCount($filter:ContactFilter){contacts(first:1 filter:$filter){totalCount totalIsEstimate}}' as Document<ContactCountQuery, ContactCountQueryVariables>;

export const CreateContact = 'fragment ContactRow on Contact{id email name status tags properties createdAt}mutation CreateContact($input:CreateContactInput!){createContact(input:$input){contact{...ContactRow}}}' as Document<CreateContactMutation, CreateContactMutationVariables>;

