import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { cursorInput, idCursor, limitInput, pageMax } from '../../page.js';
import { email } from '../../text.js';
import {
  contact,
  contactChanges,
  newContactFields,
  storedContactFields,
  upsertedContactFields,
  withName,
  withTagChanges,
} from './contact-fields.js';
import { contactFilterFields } from './contact-filter.js';
import { contactPositionMax } from './contact-position.js';
import { contactPropertiesMax } from './contact-property.js';
import { contactReference } from './contact-reference.js';
import { notices } from './notice.js';

const contactId = contactReference;

const include = z
  .array(z.enum(['unsubscribeUrl']))
  .max(1)
  .optional()
  .meta({ description: 'Fields that contacts have only on request: `unsubscribeUrl`.' });

const one = z.object({ contact });
const written = z.object({ contact, notices });

/** Position of a contact in the order of creation. */
export const contactCursor = idCursor('contact');

const filter = contactFilterFields;
const { sort: _, ...exportFilter } = filter;
const positionInput = z.string().max(contactPositionMax).optional();
const offset = z.int().min(0).default(0).meta({
  description: 'Number of contacts to skip; at most 10,000 with a filter or an order.',
});
const foundOffsetMax = 10_000;
const foundOffset = z
  .int()
  .min(0)
  .max(foundOffsetMax, {
    error: `must be at most ${foundOffsetMax} with a filter or an order: use \`after\` instead`,
  })
  .default(0);

/** Not one of the fields that select contacts: without those, `total` is exact. */
const count = z.enum(['exact']).optional().meta({
  description:
    '`exact`: `total` is exact whatever it is, and the response is 503 if counting takes more than three seconds.',
});

/**
 * @param total type of the number of contacts
 * @param more further fields of `pagination`
 */
const contactPage = <Total extends z.ZodType, More extends z.ZodRawShape>(
  total: Total,
  more: More,
) =>
  z.object({
    contacts: z.array(contact),
    pagination: z.object({
      total: total.meta({
        description:
          'Number of contacts in the workspace, or of those that match the filter. Exact unless `totalIsEstimate` is true.',
      }),
      totalIsEstimate: z.boolean().optional().meta({
        description: 'True if more contacts match the filter than are counted. Otherwise absent.',
      }),
      limit: z.int().meta({ description: 'Limit that was applied.' }),
      offset: z.int().meta({ description: 'Offset that was applied.' }),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Cursor of the next page; null on the last page.' }),
      ...more,
    }),
  });

export const contactOperations = {
  'contacts.list': defineOperation({
    name: 'contacts.list',
    summary: 'List contacts',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    tag: 'Contacts',
    http: { method: 'GET', path: '/v1/contacts', status: 200 },
    narrowed: { by: Object.keys(filter), operation: 'contacts.find' },
    input: z.strictObject({
      limit: limitInput('contacts'),
      offset,
      after: positionInput.meta({
        description:
          'Cursor: `pagination.next` of the previous page. The cost does not grow with the page number.',
      }),
      include,
      count,
      ...filter,
    }),
    output: contactPage(z.int(), {}),
    faults: [],
  }),
  'contacts.find': defineOperation({
    name: 'contacts.find',
    summary: 'List contacts that match a filter, or in another order',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    partOf: ['contacts.list', 'contacts.export'],
    searches: true,
    input: z.strictObject({
      /** 0 reads no contacts. */
      limit: z.int().min(0).max(pageMax),
      offset: foundOffset,
      after: positionInput,
      before: positionInput,
      /** Returns the last contacts between the cursors, in the same order. `offset` counts from there, and `pagination.next` is the `before` of the page that precedes. */
      fromEnd: z.boolean().optional(),
      /** Whether to return `hasNext` and `hasPrevious`. */
      around: z.boolean().optional(),
      /** Whether to return `total`. */
      counted: z.boolean().default(true),
      count,
      include,
      ...filter,
    }),
    output: contactPage(z.int().nullable(), {
      /** True also where too many contacts would have to be read to know. Processes of an earlier release return neither. */
      hasNext: z.boolean().optional(),
      hasPrevious: z.boolean().optional(),
    }),
    faults: [],
  }),
  'contacts.page': defineOperation({
    name: 'contacts.page',
    summary: 'Read a page of contacts between cursors, from either end of the list',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    input: z.strictObject({
      /** 0 reads no contacts. */
      limit: z.int().min(0).max(pageMax),
      after: cursorInput,
      before: cursorInput,
      /** Returns the last contacts between the cursors instead of the first. The order is the same. */
      fromEnd: z.boolean(),
      /** Number of contacts to skip, from the end that the page is read from. */
      offset: z.int().min(0).optional(),
      /** Whether to return `total`, the number of contacts in the workspace. */
      counted: z.boolean(),
    }),
    output: z.object({
      contacts: z.array(contact),
      hasNext: z.boolean(),
      hasPrevious: z.boolean(),
      total: z.int().nullable(),
      /** Offset that was applied. Processes of an earlier release do not return it. */
      offset: z.int().optional(),
    }),
    faults: [],
  }),
  'contacts.export': defineOperation({
    name: 'contacts.export',
    summary: 'Export contacts as CSV or newline-delimited JSON',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    audited: true,
    tag: 'Contacts',
    http: {
      method: 'GET',
      path: '/v1/exports/contacts',
      status: 200,
      file: ['text/csv', 'application/x-ndjson'],
    },
    input: z.strictObject({
      format: z
        .enum(['csv', 'ndjson'])
        .default('csv')
        .meta({ description: 'Format of the file: CSV, or a JSON object per line.' }),
      ...exportFilter,
    }),
    /** Names of the defined properties, which are columns of the file. */
    output: z.object({ properties: z.array(z.string()).meta({ maxItems: contactPropertiesMax }) }),
    faults: [],
  }),
  'contacts.get': defineOperation({
    name: 'contacts.get',
    summary: 'Get a contact',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    resource: 'contact',
    tag: 'Contacts',
    http: {
      method: 'GET',
      path: '/v1/contacts/{contactId}',
      status: 200,
      etag: { maintained: [] },
      untaggedWith: 'include',
    },
    input: z.strictObject({ contactId, include }),
    output: one,
    faults: ['not_found'],
  }),
  'contacts.create': defineOperation({
    name: 'contacts.create',
    summary: 'Create a contact',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    auditedWith: 'resubscribe',
    tag: 'Contacts',
    http: { method: 'POST', path: '/v1/contacts', status: 201 },
    input: z.strictObject(newContactFields),
    output: written,
    faults: ['conflict', 'limit_reached', 'quota_exceeded'],
  }),
  'contacts.upsert': defineOperation({
    name: 'contacts.upsert',
    summary: 'Create or update the contact with an email address or an external ID',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    auditedWith: 'resubscribe',
    tag: 'Contacts',
    http: {
      method: 'PUT',
      path: '/v1/contacts',
      status: 201,
      statusUnless: { field: 'created', status: 200 },
      query: ['email', 'externalId'],
    },
    input: withName(withTagChanges(z.strictObject(upsertedContactFields))),
    output: z.object({ created: z.boolean(), contact, notices }),
    faults: ['conflict', 'limit_reached', 'quota_exceeded'],
  }),
  'contacts.update': defineOperation({
    name: 'contacts.update',
    summary: 'Update a contact',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contact',
    auditedWith: 'resubscribe',
    tag: 'Contacts',
    http: { method: 'PUT', path: '/v1/contacts/{contactId}', status: 200 },
    input: withTagChanges(
      z.strictObject({
        contactId,
        email: email.optional(),
        ...contactChanges,
        ...storedContactFields,
      }),
    ),
    output: written,
    faults: ['not_found', 'conflict', 'limit_reached', 'precondition_failed'],
  }),
  'contacts.delete': defineOperation({
    name: 'contacts.delete',
    summary: 'Delete a contact',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contact',
    audited: true,
    tag: 'Contacts',
    http: { method: 'DELETE', path: '/v1/contacts/{contactId}', status: 200 },
    input: z.strictObject({ contactId }),
    output: z.object({
      deleted: z.literal(true),
      id: idSchema('contact').optional().meta({
        description: 'ID of the deleted contact, if the request named it by something else.',
      }),
    }),
    faults: ['not_found', 'precondition_failed'],
  }),
  'contacts.unsubscribe': defineOperation({
    name: 'contacts.unsubscribe',
    summary: 'Unsubscribe a contact',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contact',
    tag: 'Contacts',
    http: { method: 'POST', path: '/v1/contacts/{contactId}/unsubscribe', status: 200 },
    input: z.strictObject({ contactId }),
    output: one,
    faults: ['not_found'],
  }),
  'contacts.resubscribe': defineOperation({
    name: 'contacts.resubscribe',
    summary: 'Resubscribe a contact',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contact',
    tag: 'Contacts',
    http: { method: 'POST', path: '/v1/contacts/{contactId}/resubscribe', status: 200 },
    input: z.strictObject({ contactId }),
    output: one,
    faults: ['not_found'],
  }),
};
