// Generated from properties.graphql by `npm run record`.

import type { Document } from './graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type ContactPropertiesQueryVariables = Exact<{ [key: string]: never; }>;


export type ContactPropertiesQuery = { contactProperties: Array<{ id: string, name: string, label: string }> | null };

export const ContactProperties = 'query ContactProperties{contactProperties(first:100){id name label}}' as Document<ContactPropertiesQuery, ContactPropertiesQueryVariables>;

