import { z } from 'zod';
import { defineOperation } from '../../operation.js';
import { contactStatus } from './contact-fields.js';

/** Any text of this length, so that malformed tokens are answered as unknown ones. */
const token = z.string().max(200);
const output = z.object({ status: contactStatus });

/**
 * One-click unsubscribe (RFC 8058). The token is the only authority: requests carry no key. It is a part of addresses in emails, and
 * allows nothing else.
 */
export const unsubscribeLinkOperations = {
  'unsubscribe-links.get': defineOperation({
    name: 'unsubscribe-links.get',
    summary: 'Get the status of the contact of an unsubscribe link',
    service: 'contacts',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ token }),
    output,
    faults: ['not_found'],
  }),
  'unsubscribe-links.use': defineOperation({
    name: 'unsubscribe-links.use',
    summary: 'Unsubscribe the contact of an unsubscribe link',
    service: 'contacts',
    access: 'write',
    calledBy: ['gateway'],
    input: z.strictObject({ token }),
    output,
    faults: ['not_found'],
  }),
};
