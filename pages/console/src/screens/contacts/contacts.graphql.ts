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
  /** ID in another system, exactly. */
  externalId?: string | null | undefined;
  /** Contacts whose properties have exactly these values, or match these conditions: `{city: "Paris", plan: "any:gold,silver", since: ["gte:2026-01-01", "lt:2026-02-01"]}`, also `none:`, `not:`, `exists`, `missing`, `is:`, `gt:`, `lt:` and `lte:`. At most 20 properties. */
  property?: Record<string, unknown> | null | undefined;
  /** Contacts whose email address contains this text (with fewer than three characters: begins with it), or whose name has words that begin with all of its words. Case is ignored. */
  q?: string | null | undefined;
  status?: ContactStatus | null | undefined;
  /** Contacts with another status: `status=not:…` of REST. Not together with `status`. */
  statusNot?: ContactStatus | null | undefined;
  /** Contacts that match all of these conditions, at most 20: `vip`, `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`, `missing`, `is:exists` for a tag of that name. */
  tag?: Array<string> | null | undefined;
  /** Contacts created or changed after this time, which is exact to the microsecond. With `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen misses no change. */
  updatedAfter?: string | null | undefined;
  /** Contacts created or last changed before this time. */
  updatedBefore?: string | null | undefined;
};

/** Order of contacts by the values of a property: numbers by size, false before true, dates by day, and texts by the code points of the first 100 characters, with A to Z as a to z. Contacts without a value of the type of the property are the last ones in both directions. At most 100,000 contacts are read for it. */
export type ContactPropertySort = {
  /** Whether the last value is the first. */
  descending?: boolean | null | undefined;
  /** Name of the property. */
  name: string;
};

/** Order of a list of contacts. Cursors are valid for one order. */
export type ContactSort =
  /** Oldest first. */
  | 'CREATED_AT'
  /** Newest first. */
  | 'CREATED_AT_DESC'
  /** By email address, ignoring case. */
  | 'EMAIL'
  /** By email address, last first. */
  | 'EMAIL_DESC'
  /** By the code points of the name, with A to Z as a to z. */
  | 'NAME'
  /** By name, last first. */
  | 'NAME_DESC'
  /** Least recently changed first. */
  | 'UPDATED_AT'
  /** Most recently changed first. */
  | 'UPDATED_AT_DESC';

/** Subscription status of a contact. */
export type ContactStatus =
  | 'SUBSCRIBED'
  | 'UNSUBSCRIBED';

export type CreateExportLinkInput = {
  /** Contacts created after this time. */
  createdAfter?: string | null | undefined;
  /** Contacts created before this time. */
  createdBefore?: string | null | undefined;
  /** Email address, ignoring case. */
  email?: string | null | undefined;
  /** ID in another system, exactly. */
  externalId?: string | null | undefined;
  /** Defaults to `CSV`. */
  format?: ImportFormat | null | undefined;
  /** Contacts whose property has exactly this value, as `city:Paris`, or `city:any:Paris,Rome`, `city:none:Paris,Rome`, `city:not:Paris`, `city:exists`, `city:missing`, `since:gte:2026-01-01` (`gt`, `gte`, `lt`, `lte`). With several conditions, also on one property, as `age:gte:18` and `age:lt:65`, all must match. */
  property?: Record<string, unknown> | null | undefined;
  /** Contacts whose email address contains this text (with fewer than three characters: begins with it), or whose name has words that begin with all of its words. Case is ignored. */
  q?: string | null | undefined;
  /** Subscription status, or `not:` and a status. */
  status?: ContactStatus | null | undefined;
  /** Contacts with this tag, or `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`, `missing`, `is:exists` for a tag of that name. Repeat it: contacts must match all. Without a prefix, `tag=a,b` means the tag `a,b`. */
  tag?: Array<string> | null | undefined;
  /** Contacts created or changed after this time, which is exact to the microsecond. With `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen misses no change. */
  updatedAfter?: string | null | undefined;
  /** Contacts created or last changed before this time. */
  updatedBefore?: string | null | undefined;
};

/** Format of an imported file. */
export type ImportFormat =
  | 'CSV'
  | 'NDJSON';

export type ContactsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: ContactFilter | null | undefined;
  sort?: ContactSort | null | undefined;
  sortProperty?: ContactPropertySort | null | undefined;
}>;


export type ContactsQuery = { contacts: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, email: string, name: string, status: ContactStatus, tags: Array<string>, properties: Record<string, unknown>, createdAt: string }> } | null };

export type ContactCountQueryVariables = Exact<{
  filter?: ContactFilter | null | undefined;
}>;


export type ContactCountQuery = { contacts: { totalCount: number | null, totalIsEstimate: boolean } | null };

export type ContactRowFragment = { id: string, email: string, name: string, status: ContactStatus, tags: Array<string>, properties: Record<string, unknown>, createdAt: string };

export type ContactsByIdsQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type ContactsByIdsQuery = { nodes: Array<
    | { id: string, email: string, name: string, status: ContactStatus, tags: Array<string>, properties: Record<string, unknown>, createdAt: string }
    | Record<PropertyKey, never>
   | null> };

export type CreateExportLinkMutationVariables = Exact<{
  input: CreateExportLinkInput;
}>;


export type CreateExportLinkMutation = { createExportLink: { exportLink: { path: string } } };

export const Contacts = 'query Contacts($first:Int!$after:String$filter:ContactFilter$sort:ContactSort$sortProperty:ContactPropertySort){contacts(first:$first after:$after filter:$filter sort:$sort sortProperty:$sortProperty){pageInfo{endCursor hasNextPage}nodes{...ContactRow}}}fragment ContactRow on Contact{id email name status tags properties createdAt}' as Document<ContactsQuery, ContactsQueryVariables>;

export const ContactCount = 'query ContactCount($filter:ContactFilter){contacts(first:1 filter:$filter){totalCount totalIsEstimate}}' as Document<ContactCountQuery, ContactCountQueryVariables>;

export const ContactsByIds = 'fragment ContactRow on Contact{id email name status tags properties createdAt}query ContactsByIds($ids:[ID!]!){nodes(ids:$ids){...on Contact{...ContactRow}}}' as Document<ContactsByIdsQuery, ContactsByIdsQueryVariables>;

export const CreateExportLink = 'mutation CreateExportLink($input:CreateExportLinkInput!){createExportLink(input:$input){exportLink{path}}}' as Document<CreateExportLinkMutation, CreateExportLinkMutationVariables>;

