// Generated from properties.graphql by `npm run record`.

import type { Document } from './graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Type of the values of a contact property. */
export type ContactPropertyType =
  | 'BOOLEAN'
  /** A string `YYYY-MM-DD`, a day of the calendar. */
  | 'DATE'
  /** A finite double. An integer beyond 2^53 is rejected. */
  | 'NUMBER'
  | 'STRING';

export type ContactPropertiesQueryVariables = Exact<{ [key: string]: never; }>;


export type ContactPropertiesQuery = { contactProperties: Array<{ id: string, name: string, label: string, type: ContactPropertyType }> | null };

export const ContactProperties = 'query ContactProperties{contactProperties(first:100){id name label type}}' as Document<ContactPropertiesQuery, ContactPropertiesQueryVariables>;

