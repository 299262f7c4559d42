import { z } from 'zod';
import { entriesAtMost } from '../../entries-at-most.js';
import { decodeId, encodeId } from '../../ids.js';
import { email, emailKey, inputTimestamp, text } from '../../text.js';

/** Orders of a list of contacts. By default, contacts are in the order of their creation. */
export const contactSorts = ['createdAt', '-createdAt', 'email'] as const;
export type ContactSort = (typeof contactSorts)[number];

/** Maximum number of properties in a filter. */
const filterPropertiesMax = 20;
/** Maximum number of tags in a filter. */
const filterTagsMax = 20;

/**
 * Fields that restrict a list of contacts, and its order. A contact must match all of them.
 *
 * @param status type of a contact's status
 * @param name type of the name of a property
 * @param value type of the value of a property
 */
export const contactFilterFields = <
  Status extends z.ZodType,
  Name extends z.ZodType<string, string>,
  Value extends z.ZodType<string, string>,
>(
  status: Status,
  name: Name,
  value: Value,
) => ({
  email: email.optional().meta({ description: 'Email address, ignoring case.' }),
  tag: z.array(text(1, 64)).max(filterTagsMax).optional().meta({
    description:
      'Contacts with this tag. Repeat it for contacts with all of the tags: `tag=a,b` means the tag `a,b`.',
  }),
  status: status.optional().meta({ description: 'Subscription status.' }),
  property: entriesAtMost(filterPropertiesMax, z.record(name, value)).optional().meta({
    description:
      'Contacts whose property has exactly this value, as `city:Paris`. With several properties, all must match.',
  }),
  createdAfter: inputTimestamp
    .optional()
    .meta({ format: 'date-time', description: 'Contacts created after this time.' }),
  createdBefore: inputTimestamp
    .optional()
    .meta({ format: 'date-time', description: 'Contacts created before this time.' }),
  q: text(1, 254)
    .refine((value) => value.trim() !== '', { error: 'must not consist of white space' })
    .optional()
    .meta({
      description:
        'Contacts whose email address contains this text (with fewer than three characters: begins with it), or whose name has words that begin with all of its words. Case is ignored.',
    }),
  sort: z.enum(contactSorts).optional().meta({
    description:
      'Order: `createdAt` (default), `-createdAt` (newest first) or `email`. Cursors are valid for one order.',
  }),
});

/** Maximum length of a cursor of a list of contacts. One of `email` contains an address, which has up to 380 bytes in lower case. */
export const contactPositionMax = 520;

const cursorPrefixes = { createdAt: '', '-createdAt': 'desc.', email: 'email.' } as const;

/**
 * Positions in a list of contacts. They contain the order that they were made for, and the ID or the email address of a contact.
 * Those of the default order are the cursors of the list without filters.
 */
export const contactPosition = {
  /** @param contact with its external ID */
  of: (sort: ContactSort, contact: { id: string; email: string }): string =>
    sort === 'email'
      ? contactPosition.ofKey(sort, emailKey(contact.email))
      : cursorPrefixes[sort] + contact.id.slice('cont_'.length),
  /** @param key the UUID of the contact, or the normal form of its email address for the order `email` */
  ofKey: (sort: ContactSort, key: string): string =>
    cursorPrefixes[sort] +
    (sort === 'email'
      ? Buffer.from(key).toString('base64url')
      : encodeId('contact', key).slice('cont_'.length)),
  /** The UUID or the email address as above. Undefined if the text is no cursor of this order. */
  read(sort: ContactSort, cursor: string): string | undefined {
    const prefix = cursorPrefixes[sort];
    if (!cursor.startsWith(prefix)) return undefined;
    const position = cursor.slice(prefix.length);
    if (sort !== 'email') return decodeId('contact', `cont_${position}`);
    const key = Buffer.from(position, 'base64url').toString();
    const isExact = Buffer.from(key).toString('base64url') === position;
    return isExact && key !== '' && !key.includes('\0') ? key : undefined;
  },
};
