import { z } from 'zod';
import { decodeId, encodeId } from '../../ids.js';
import { email, emailKey } from '../../text.js';

const byEmail = 'email:';
const prefixed = /^email:.{3,254}$/u;

/**
 * How an input names a contact: by its ID, or by what no other contact of the workspace has. Its JSON Schema has no pattern:
 * generators of types would take alternatives for different types.
 */
export const contactReference = z
  .string()
  .max(300, { abort: true })
  .refine((given) => isId(given) || prefixed.test(given), {
    error: ({ input }) =>
      isBareAddress(input)
        ? 'must be an ID with the prefix cont_: an address needs the prefix email:'
        : 'must be an ID with the prefix cont_, or email: and an address',
    abort: true,
  })
  .refine((given) => isId(given) || email.safeParse(addressIn(given)).success, {
    error: 'must have an email address after email:',
  })
  .meta({
    description:
      'ID of the contact, or `email:` and its email address, as `email:ada@example.com`.',
    examples: [encodeId('contact', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01')],
  });

const isId = (given: string): boolean => decodeId('contact', given) !== undefined;

/**
 * What a contact is named by, in the form in which it is compared; undefined for an ID.
 *
 * @param given a `contactReference`
 */
export const referenceOf = (given: string): { emailKey: string } | undefined =>
  given.startsWith(byEmail) ? { emailKey: emailKey(addressIn(given)) } : undefined;

const addressIn = (given: string): string => given.slice(byEmail.length);

/** Whether an address is given where an ID belongs. */
export const isBareAddress = (given: unknown): boolean =>
  typeof given === 'string' && given.includes('@') && !given.startsWith(byEmail);
