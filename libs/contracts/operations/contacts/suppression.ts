import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { email, timestamp } from '../../text.js';

export const suppressionReasons = ['unsubscribed', 'bounced', 'complained', 'manual'] as const;

/** Maximum number of addresses of one call, and those that count as one request in rate limits. */
export const suppressionEmailsMax = 1000;
const emailsPerRequest = 10;

/** Position of a suppression in the order of creation. */
export const suppressionCursor = idCursor('suppression');

const suppression = z
  .object({
    id: idSchema('suppression'),
    reason: z.enum(suppressionReasons).meta({
      description: '`unsubscribed` also if a contact with the address unsubscribed.',
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'Suppression' });

const suppressionId = idSchema('suppression');
const one = z.object({ suppression });
const tag = 'Suppressions';

export const suppressionOperations = {
  'suppressions.list': defineOperation({
    name: 'suppressions.list',
    summary: 'List suppressions, newest first, or find that of an address',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/suppressions', status: 200 },
    input: z.strictObject({
      limit: limitInput('suppressions'),
      after: afterInput,
      email: email.optional().meta({
        description: 'Only the suppression of this address: addresses are not stored.',
      }),
    }),
    output: z.object({ suppressions: z.array(suppression), pagination: forwardPagination }),
    faults: [],
  }),
  'suppressions.get': defineOperation({
    name: 'suppressions.get',
    summary: 'Get a suppression',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    resource: 'suppression',
    tag,
    http: {
      method: 'GET',
      path: '/v1/suppressions/{suppressionId}',
      status: 200,
      etag: { maintained: [] },
    },
    input: z.strictObject({ suppressionId }),
    output: one,
    faults: ['not_found'],
  }),
  'suppressions.create': defineOperation({
    name: 'suppressions.create',
    summary: 'Suppress an address, and unsubscribe the contact that has it',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    audited: true,
    tag,
    http: {
      method: 'POST',
      path: '/v1/suppressions',
      status: 201,
      statusUnless: { field: 'created', status: 200 },
    },
    input: z.strictObject({
      email,
      reason: z.enum(suppressionReasons).default('manual').meta({
        description: 'A suppression that exists keeps its own.',
      }),
    }),
    output: z.object({
      created: z.boolean().meta({ description: 'Whether the address was not suppressed before.' }),
      suppression,
    }),
    faults: [],
  }),
  'suppressions.delete': defineOperation({
    name: 'suppressions.delete',
    summary: 'Delete a suppression; an unsubscribed contact remains so',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'suppression',
    audited: true,
    tag,
    http: { method: 'DELETE', path: '/v1/suppressions/{suppressionId}', status: 200 },
    input: z.strictObject({ suppressionId }),
    output: z.object({ deleted: z.literal(true) }),
    faults: ['not_found', 'precondition_failed'],
  }),
  'suppressions.delete-by-email': defineOperation({
    name: 'suppressions.delete-by-email',
    summary: 'Delete the suppression of an address, if there is one',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    audited: true,
    tag,
    http: { method: 'DELETE', path: '/v1/suppressions', status: 200 },
    input: z.strictObject({ email }),
    output: z.object({ existed: z.boolean().meta({ description: 'Whether there was one.' }) }),
    faults: [],
  }),
  /** A file of any size is sent in pieces of these: sending one again changes nothing. */
  'suppressions.import': defineOperation({
    name: 'suppressions.import',
    summary: 'Suppress many addresses, and unsubscribe the contacts that have them',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    audited: true,
    bulk: {
      requestsOf: (input) =>
        Math.ceil((input as { emails: readonly unknown[] }).emails.length / emailsPerRequest),
    },
    tag,
    http: { method: 'POST', path: '/v1/suppressions/imports', status: 200 },
    input: z.strictObject({
      emails: z
        .array(z.string().max(1000))
        .min(1)
        .max(suppressionEmailsMax)
        .meta({ examples: [['ada@example.com']] }),
      reason: z.enum(suppressionReasons).default('manual').meta({
        description: 'Suppressions that exist keep theirs.',
      }),
    }),
    output: z.object({
      created: z
        .int()
        .meta({ description: 'Number of addresses that were not suppressed before.' }),
      known: z.int().meta({ description: 'Number of those that were.' }),
      refused: z
        .array(
          z
            .object({
              index: z.int().meta({ description: 'Position in `emails`, from 0.' }),
              message: z.string(),
            })
            .meta({ id: 'SuppressionRefusal' }),
        )
        .meta({
          maxItems: suppressionEmailsMax,
          description: 'What is not an address. It refuses no other.',
        }),
    }),
    faults: [],
  }),
};
