// Generated from options.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type TagNamesQueryVariables = Exact<{
  prefix?: string | null | undefined;
}>;


export type TagNamesQuery = { tags: { nodes: Array<{ name: string, contacts: number }> } | null };

export type PropertyValuesQueryVariables = Exact<{
  property: string;
  prefix?: string | null | undefined;
}>;


export type PropertyValuesQuery = { propertyValues: Array<{ value: string }> | null };

export const TagNames = 'query TagNames($prefix:String){tags(first:20 prefix:$prefix){nodes{name contacts}}}' as Document<TagNamesQuery, TagNamesQueryVariables>;

export const PropertyValues = 'query PropertyValues($property:String!$prefix:String){propertyValues(property:$property prefix:$prefix){value}}' as Document<PropertyValuesQuery, PropertyValuesQueryVariables>;

