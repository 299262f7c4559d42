import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { email, timestamp } from '../../text.js';
import { contactReference } from './contact-reference.js';

/** Maximum number of erasures of a workspace that have not ended: each reads the event log of the workspace. */
export const erasuresActiveMax = 100;

export const erasureStatuses = ['queued', 'running', 'completed'] as const;

/** In their order. */
export const erasureSteps = ['events', 'deliveries', 'records'] as const;
export type ErasureStep = (typeof erasureSteps)[number];

const count = (description: string) => z.int().meta({ description });

const erasureShape = z
  .object({
    id: idSchema('erasure'),
    contactId: idSchema('contact'),
    status: z.enum(erasureStatuses),
    step: z.enum(erasureSteps).nullable().meta({
      description:
        'What is being erased: `events` of the event log, `deliveries`, or `records` of requests, imports and actions. Null when all is.',
    }),
    events: count('Number of events that were removed from the event log.'),
    deliveries: count('Number of deliveries that were emptied.'),
    records: count('Number of other records that were emptied.'),
    createdAt: timestamp,
    endedAt: timestamp.nullable().meta({ description: 'Null until all is erased.' }),
  })
  .meta({ id: 'Erasure' });

const erasureId = idSchema('erasure');
const one = z.object({ erasure: erasureShape });
const tag = 'Contacts';

export const erasureOperations = {
  'contacts.erase': defineOperation({
    name: 'contacts.erase',
    summary: 'Delete a contact, and erase what is stored of it everywhere',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contact',
    audited: true,
    tag,
    http: { method: 'POST', path: '/v1/contacts/{contactId}/erase', status: 202 },
    input: z.strictObject({
      contactId: contactReference,
      email: email.optional().meta({
        description:
          'An address that the contact had. Required for one that a batch or an action has deleted, which is named by its ID.',
      }),
    }),
    output: one,
    faults: ['not_found', 'limit_reached'],
  }),
  'erasures.get': defineOperation({
    name: 'erasures.get',
    summary: 'Get the progress of an erasure',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    resource: 'erasure',
    tag,
    http: {
      method: 'GET',
      path: '/v1/erasures/{erasureId}',
      status: 200,
      etag: { maintained: [] },
    },
    input: z.strictObject({ erasureId }),
    output: one,
    faults: ['not_found'],
  }),
};
