import { z } from 'zod';
import type { FaultCode } from '../../fault.js';
import { entriesAtMost } from '../../entries-at-most.js';
import { idSchema } from '../../ids.js';
import { describeDefault, defineOperation } from '../../operation.js';
import { contactOperations } from './contact.js';
import { contactReference } from './contact-reference.js';
import { withName, withTagChanges } from './contact-fields.js';
import { notices } from './notice.js';

/** Maximum number of operations of a batch. */
export const batchOperationsMax = 1000;

/** Faults of a single operation. Others concern the whole batch. */
export const contactBatchFaults = [
  'conflict',
  'invalid',
  'limit_reached',
  'not_found',
  'quota_exceeded',
] as const satisfies readonly FaultCode[];

/** Operations of a batch that count as one request in rate limits. */
const operationsPerRequest = 10;

const inputOf = <Name extends keyof typeof contactOperations>(name: Name) =>
  contactOperations[name].input.shape as (typeof contactOperations)[Name]['input']['shape'];

const id = contactReference;
const { contactId: _, ...update } = inputOf('contacts.update');

/** An operation of a batch. */
export const contactOperation = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), ...inputOf('contacts.create') }),
  withName(
    withTagChanges(z.strictObject({ action: z.literal('upsert'), ...inputOf('contacts.upsert') })),
  ),
  withTagChanges(z.strictObject({ action: z.literal('update'), ...update, id })),
  z.strictObject({ action: z.literal('delete'), id }),
]);
export type ContactOperation = z.output<typeof contactOperation>;

/** More fields than an operation has, so that an unknown one does not refuse the batch. */
const fieldsMax = 32;

/** Parsed individually by the service, because an invalid one does not refuse the others. */
const anyOperation = entriesAtMost(
  fieldsMax,
  z.looseObject({ action: z.enum(['create', 'upsert', 'update', 'delete']) }).meta({
    oneOf: z.toJSONSchema(contactOperation, {
      io: 'input',
      override: ({ jsonSchema }) => describeDefault(jsonSchema),
    }).oneOf,
  }),
);

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(contactBatchFaults),
    errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
    existingId: z.string().optional(),
  })
  .meta({ id: 'ContactBatchProblem', description: 'Why the operation was refused (RFC 9457).' });

const result = z
  .object({
    status: z.int().meta({ description: 'As of a request with this operation alone.' }),
    id: idSchema('contact').optional().meta({
      description: 'ID of the contact that was created, updated or deleted.',
    }),
    problem: problem.optional(),
    notices,
  })
  .meta({ id: 'ContactBatchResult' });

export const contactBatchOperations = {
  'contacts.batch': defineOperation({
    name: 'contacts.batch',
    summary: 'Create, update and delete many contacts',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    audited: true,
    bulk: {
      requestsOf: (input) =>
        Math.ceil(
          (input as { operations: readonly unknown[] }).operations.length / operationsPerRequest,
        ),
    },
    tag: 'Contacts',
    http: { method: 'POST', path: '/v1/contacts/batch', status: 200 },
    input: z.strictObject({
      operations: z
        .array(anyOperation)
        .min(1)
        .max(batchOperationsMax)
        .meta({
          description: 'Applied as if one after another.',
          examples: [[{ action: 'create', email: 'ada@example.com' }]],
        }),
      atomic: z.boolean().optional().meta({
        description: 'Whether one refused operation refuses the batch. False by default.',
      }),
    }),
    output: z.object({ results: z.array(result) }),
    faults: ['conflict', 'limit_reached'],
  }),
};
