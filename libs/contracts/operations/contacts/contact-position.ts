import { z } from 'zod';
import { firstIdAtInstant, firstIdBeside } from '../../id-times.js';
import { decodeId, encodeId, uuidOf } from '../../ids.js';
import { emailKey, text } from '../../text.js';
import {
  isPropertySort,
  propertyOfSort,
  type ContactSort,
  type PropertySort,
} from './contact-filter.js';
import type { PropertyValue } from './property-type.js';

/**
 * Maximum length of a cursor of a list of contacts. One of `email` contains an address, which has up to 380 bytes in lower case, one
 * of `name` up to 437 bytes, and one of a property up to 701 bytes.
 */
export const contactPositionMax = 1000;

/** Characters of a name, or of a text of a property, by which contacts are ordered. */
export const sortedChars = 100;

const firstChars = (given: string): string => [...given].slice(0, sortedChars).join('');

/**
 * The key of a contact in the order of names: the beginning of its name, with A to Z as a to z, and its UUID. The order is that of code
 * points, because those of languages differ between the releases of PostgreSQL and Node.js.
 */
export const nameKey = (name: string, uuid: string): string =>
  `${firstChars(name).replaceAll(/[A-Z]+/g, (upper) => upper.toLowerCase())}\t${uuid}`;

/** Where a contact is in the order of a property. */
export interface PropertyPosition {
  /** Its UUID. */
  id: string;
  /** Of a text, the beginning. Undefined if the contact has none. */
  value: PropertyValue | undefined;
}

const sortedValue = z.union([text(0, sortedChars), z.number(), z.boolean()]);

/** Keys in the order of a property, in JSON: its name, the contact, and its value. */
export const propertyPosition = {
  keyOf(sort: PropertySort, id: string, properties: Record<string, PropertyValue>): string {
    const name = propertyOfSort(sort);
    const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const known = typeof value === 'string' ? firstChars(value) : value;
    return JSON.stringify([name, id, ...(known === undefined ? [] : [known])]);
  },
  /** Undefined if the text is no key of the order. */
  read(sort: PropertySort, key: string): PropertyPosition | undefined {
    const parts = parsed(key);
    if (!Array.isArray(parts) || JSON.stringify(parts) !== key || parts.length > 3)
      return undefined;
    const [name, id, value] = parts as unknown[];
    const uuid = typeof id === 'string' ? decodeId('contact', id) : undefined;
    const isOrder = name === propertyOfSort(sort) && uuid !== undefined;
    const known = sortedValue.optional().safeParse(value);
    return isOrder && known.success ? { id: uuid, value: known.data } : undefined;
  },
};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const cursorPrefixes = {
  createdAt: '',
  '-createdAt': 'desc.',
  email: 'email.',
  '-email': 'email-desc.',
  name: 'name.',
  '-name': 'name-desc.',
  updatedAt: 'updated.',
  '-updatedAt': 'updated-desc.',
} as const;

function prefixOf(sort: ContactSort): string {
  if (!isPropertySort(sort)) return cursorPrefixes[sort];
  return sort.startsWith('-') ? 'property-desc.' : 'property.';
}

const isByEmail = (sort: ContactSort): boolean => sort === 'email' || sort === '-email';
const isByName = (sort: ContactSort): boolean => sort === 'name' || sort === '-name';
const isByChange = (sort: ContactSort): boolean => sort === 'updatedAt' || sort === '-updatedAt';
const isByText = (sort: ContactSort): boolean =>
  isByEmail(sort) || isByName(sort) || isPropertySort(sort);

/** What positions are made of. */
export interface PlacedContact {
  /** With its prefix. */
  id: string;
  email: string;
  name: string;
  updatedAt: string;
  properties: Record<string, PropertyValue>;
}

/**
 * Positions in a list of contacts. They contain the order that they were made for, and the ID, the email address, the name, the value of
 * a property or the time of the last change of a contact. Those of the default order are the cursors of the list without filters.
 */
export const contactPosition = {
  of(sort: ContactSort, { id, email, name, updatedAt, properties }: PlacedContact): string {
    if (isPropertySort(sort))
      return contactPosition.ofKey(sort, propertyPosition.keyOf(sort, id, properties));
    if (isByEmail(sort)) return contactPosition.ofKey(sort, emailKey(email));
    if (isByName(sort)) return contactPosition.ofKey(sort, nameKey(name, uuidOf('contact', id)));
    if (isByChange(sort)) return contactPosition.ofKey(sort, firstIdAtInstant(updatedAt));
    return prefixOf(sort) + id.slice('cont_'.length);
  },
  /**
   * @param key the UUID of the contact, that of its last change for the orders by it, the normal form of its email address, its
   * `nameKey`, or its `propertyPosition`
   */
  ofKey(sort: ContactSort, key: string): string {
    const position = isByText(sort)
      ? Buffer.from(key).toString('base64url')
      : encodeId('contact', isByChange(sort) ? firstIdBeside(key) : key).slice('cont_'.length);
    return prefixOf(sort) + position;
  },
  /**
   * The UUID or the text as above. Undefined if the text is no cursor of this order. That of a change is the first of its
   * time: a contact does not contain the others.
   */
  read(sort: ContactSort, cursor: string): string | undefined {
    const prefix = prefixOf(sort);
    if (!cursor.startsWith(prefix)) return undefined;
    const position = cursor.slice(prefix.length);
    if (!isByText(sort)) return decodeId('contact', `cont_${position}`);
    const key = Buffer.from(position, 'base64url').toString();
    const isExact = Buffer.from(key).toString('base64url') === position;
    return isExact && key !== '' && !key.includes('\0') ? key : undefined;
  },
};
