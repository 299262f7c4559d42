// Generated from tag-options.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type TagNamesQueryVariables = Exact<{
  prefix?: string | null | undefined;
}>;


export type TagNamesQuery = { tags: { nodes: Array<{ name: string, contacts: number }> } | null };

export const TagNames = 'query TagNames($prefix:String){tags(first:20 prefix:$prefix){nodes{name contacts}}}' as Document<TagNamesQuery, TagNamesQueryVariables>;

