import { z } from 'zod';
import { encodeId, idPattern } from '../../ids.js';
import { email, emailKey } from '../../text.js';
import { externalId } from './contact-fields.js';

/** What a contact can be named by instead of its ID, behind a prefix. */
const prefixes = { email: 'email:', externalId: 'externalId:' } as const;
type Prefix = (typeof prefixes)[keyof typeof prefixes];

/**
 * How an input names a contact: by its ID, or by what no other contact of the workspace has. Its JSON Schema has no pattern:
 * generators of types would take alternatives for different types.
 */
export const contactReference = z
  .string()
  .max(300, { abort: true })
  // As `superRefine`, which makes a context for each value.
  .check(({ value: input, issues }) => {
    const message = problemOf(input);
    if (message !== undefined) issues.push({ code: 'custom', input, message });
  })
  .meta({
    description:
      'ID of the contact, `email:` and its email address, or `externalId:` and its ID in another system.',
    examples: [encodeId('contact', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01')],
  });

const contactId = idPattern('contact');

function problemOf(given: string): string | undefined {
  if (contactId.test(given)) return undefined;
  const [address, own] = [after(prefixes.email, given), after(prefixes.externalId, given)];
  if (address !== undefined)
    return email.safeParse(address).success ? undefined : 'must have an email address after email:';
  if (own !== undefined)
    return externalId.safeParse(own).success
      ? undefined
      : 'must have 1 to 128 characters after externalId:, none of them a control character';
  return isBareAddress(given)
    ? 'must be an ID with the prefix cont_: an address needs the prefix email:'
    : 'must be an ID with the prefix cont_, or begin with email: or externalId:';
}

const after = (prefix: Prefix, given: string): string | undefined =>
  given.startsWith(prefix) ? given.slice(prefix.length) : undefined;

/** What a contact is named by, in the form in which it is compared. */
export type Reference =
  | { emailKey: string; externalId?: never }
  | { externalId: string; emailKey?: never };

/**
 * What a contact is named by; undefined for an ID.
 *
 * @param given a `contactReference`
 */
export function referenceOf(given: string): Reference | undefined {
  const address = after(prefixes.email, given);
  if (address !== undefined) return { emailKey: emailKey(address) };
  const own = after(prefixes.externalId, given);
  return own === undefined ? undefined : { externalId: own };
}

/** Whether an address is given where an ID belongs. */
export const isBareAddress = (given: unknown): boolean =>
  typeof given === 'string' &&
  given.includes('@') &&
  !Object.values(prefixes).some((prefix) => given.startsWith(prefix));
