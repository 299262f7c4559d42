import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { contactStatus } from './contact-fields.js';

/** Any text of this length, so that malformed tokens are answered as unknown ones. */
const token = z.string().max(200);
const output = z.object({
  status: contactStatus,
  // Processes of an earlier release do not return it.
  workspaceId: idSchema('workspace').optional(),
});

/**
 * One-click unsubscribe (RFC 8058). The token is the only authority: requests carry no key. It is a part of addresses in emails, and
 * allows nothing else. Who subscribes a contact again must have just unsubscribed it: emails are forwarded, and an old one must not
 * undo what its recipient decided.
 */
export const unsubscribeLinkOperations = {
  'unsubscribe-links.get': defineOperation({
    name: 'unsubscribe-links.get',
    summary: 'Get the status of the contact of an unsubscribe link, and its workspace',
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
    output: output.extend({
      undo: z
        .string()
        .optional()
        .meta({ description: 'Allows to undo it for minutes. Absent if nothing was changed.' }),
    }),
    faults: ['not_found'],
  }),
  'unsubscribe-links.undo': defineOperation({
    name: 'unsubscribe-links.undo',
    summary: 'Subscribe the contact of an unsubscribe link again, minutes after it was used',
    service: 'contacts',
    access: 'write',
    calledBy: ['gateway'],
    input: z.strictObject({ token, undo: z.string().max(100) }),
    output,
    faults: ['not_found', 'conflict'],
  }),
};
