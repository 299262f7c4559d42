// Generated from palette.graphql by `npm run record`.

import type { Document } from '../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type FindContactsQueryVariables = Exact<{
  q: string;
}>;


export type FindContactsQuery = { contacts: { nodes: Array<{ id: string, name: string, email: string }> } | null };

export const FindContacts = 'query FindContacts($q:String!){contacts(first:8 filter:{q:$q}){nodes{id name email}}}' as Document<FindContactsQuery, FindContactsQueryVariables>;

