import { secretLink } from './secret-link.js';
import { z } from 'zod';
import { defineOperation } from '../../operation.js';
import { contactOperations } from '../contacts/contact.js';
import { sha256 } from './session.js';

/** Format of the secret of a link: `rel_` and 192 random bits. */
export const exportLinkShape = /^rel_[0-9a-f]{48}$/;

export const exportLinkLimits = {
  /** How long a link can be opened. */
  seconds: 300,
  /** Maximum number of unused links of an API key. A further one ends the oldest. */
  ofKey: 10,
} as const;

const { input } = contactOperations['contacts.export'];

/** Links with which a browser downloads an export once, without a key. */
export const exportLinkOperations = {
  'export-links.create': defineOperation({
    name: 'export-links.create',
    summary: 'Create a link that downloads an export of contacts once, without a key',
    service: 'users',
    access: 'write',
    scope: 'api_user',
    containsSecret: true,
    tag: 'Contacts',
    http: { method: 'POST', path: '/v1/export-links', status: 201 },
    input,
    output: z.object({
      link: secretLink(
        'exports/rel_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
        'An export that has begun may end later.',
      ).meta({ id: 'ExportLink' }),
    }),
    faults: [],
  }),
  'export-links.use': defineOperation({
    name: 'export-links.use',
    summary: 'Use a link up: sign a browser token for its export',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    containsSecret: true,
    input: z.strictObject({ link: sha256 }),
    output: z.object({
      /** Allows only exports. */
      token: z.string(),
      /** Of `contacts.export`. */
      input: z.record(z.string(), z.unknown()),
    }),
    faults: ['unauthenticated'],
  }),
};
