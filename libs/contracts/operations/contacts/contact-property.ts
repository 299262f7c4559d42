import { z } from 'zod';
import { propertyName } from './contact-fields.js';
import { contactPropertyTypes, propertyTypeLimits } from './property-type.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor } from '../../page.js';
import { text, timestamp } from '../../text.js';

const listed = z
  .object({
    id: idSchema('contactProperty'),
    name: z.string(),
    label: z.string(),
    type: z.enum(contactPropertyTypes),
    createdAt: timestamp,
  })
  .meta({ id: 'ContactPropertyListed' });

export const contactProperty = listed
  .extend({ description: z.string().optional() })
  .meta({ id: 'ContactProperty' });

/** Definitions that a workspace can have, and that a page has at most. */
export const contactPropertiesMax = 1000;

/** Bounds of the values of a property that are proposed: how many, and the contacts that are read for them. */
export const propertyValuesLimits = { values: 20, contacts: 5000 } as const;

const valueOfProperty = z
  .object({
    value: z.string(),
    contacts: z.int().meta({ description: 'Number of contacts with it, of those that were read.' }),
  })
  .meta({ id: 'PropertyValue' });

/** Position of a contact property in the order of creation. */
export const contactPropertyCursor = idCursor('contactProperty');

const label = text(1, 128);
const description = text(0, 1024);
const one = z.object({ property: contactProperty });

/** What a change of the type does with the values of contacts. */
const typeChange = z
  .object({
    values: z.int().meta({ description: 'Number of contacts with the property.' }),
    converted: z.int().meta({
      description: `Number of values that are written in the other form. Of more than ${propertyTypeLimits.converted}, the type is not changed.`,
    }),
    contradicting: z.int().meta({ description: 'Number of values that are not of the type.' }),
    contacts: z.array(idSchema('contact')).meta({
      maxItems: propertyTypeLimits.contacts,
      description: 'IDs of some contacts with such values.',
    }),
    refusal: z.string().nullable().meta({
      description:
        'In the answer to a dry run: why the type would not be changed, as the refusal would say. Otherwise null.',
    }),
  })
  .meta({ id: 'PropertyTypeChange' });
export type PropertyTypeChange = z.output<typeof typeChange>;

export const contactPropertyOperations = {
  'contact-properties.list': defineOperation({
    name: 'contact-properties.list',
    summary: 'List contact properties',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    tag: 'Contact properties',
    http: { method: 'GET', path: '/v1/contact-properties', status: 200 },
    input: z.strictObject({
      limit: z
        .int()
        .min(1)
        .transform((limit) => Math.min(limit, contactPropertiesMax))
        .optional()
        .meta({
          description: `Maximum number of contact properties to return; ${contactPropertiesMax} by default. Greater values are reduced to it.`,
        }),
      after: afterInput,
    }),
    output: z.object({
      properties: z.array(listed),
      pagination: forwardPagination,
    }),
    faults: [],
  }),
  'contact-properties.get': defineOperation({
    name: 'contact-properties.get',
    summary: 'Get a contact property, with its description',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    resource: 'contactProperty',
    tag: 'Contact properties',
    http: {
      method: 'GET',
      path: '/v1/contact-properties/{propertyId}',
      status: 200,
      etag: { maintained: [] },
    },
    input: z.strictObject({ propertyId: idSchema('contactProperty') }),
    output: one,
    faults: ['not_found'],
  }),
  'contacts.property-values': defineOperation({
    name: 'contacts.property-values',
    summary: `Get frequent values of a property, of the newest ${propertyValuesLimits.contacts} contacts`,
    service: 'contacts',
    access: 'read',
    searches: true,
    scope: 'api_user',
    tag: 'Contact properties',
    http: { method: 'GET', path: '/v1/property-values', status: 200 },
    input: z.strictObject({
      property: propertyName.meta({ description: 'Name of the property.' }),
      prefix: text(1, 256).optional().meta({
        description: 'Only values that begin with this text, in the same case.',
      }),
    }),
    output: z.object({
      values: z.array(valueOfProperty).meta({
        maxItems: propertyValuesLimits.values,
        description: 'The most frequent first.',
      }),
    }),
    faults: [],
  }),
  'contact-properties.create': defineOperation({
    name: 'contact-properties.create',
    summary: 'Create a contact property',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    tag: 'Contact properties',
    http: { method: 'POST', path: '/v1/contact-properties', status: 201 },
    input: z.strictObject({
      name: propertyName,
      label,
      type: z.enum(contactPropertyTypes).default('string').meta({
        description:
          'Type of the values: `number` is a finite double, `date` a string `YYYY-MM-DD`, a day of the calendar.',
      }),
      description: description.optional(),
    }),
    output: one,
    faults: ['conflict', 'limit_reached'],
  }),
  'contact-properties.update': defineOperation({
    name: 'contact-properties.update',
    summary: 'Update a contact property',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contactProperty',
    tag: 'Contact properties',
    http: { method: 'PUT', path: '/v1/contact-properties/{propertyId}', status: 200 },
    input: z.strictObject({
      propertyId: idSchema('contactProperty'),
      label: label.optional(),
      description: description.optional(),
      type: z
        .enum(contactPropertyTypes)
        .optional()
        .meta({
          description: `Changed only if no value contradicts. Values are converted as an import reads them, at most ${propertyTypeLimits.converted}, each with an event of its contact.`,
        }),
      dryRun: z
        .boolean()
        .optional()
        .meta({ description: 'Whether to change nothing, and answer what `type` would do.' }),
    }),
    output: one.extend({
      change: typeChange
        .optional()
        .meta({ description: 'Present with another `type` than the property has.' }),
    }),
    faults: ['not_found', 'precondition_failed', 'conflict', 'limit_reached'],
  }),
  'contact-properties.delete': defineOperation({
    name: 'contact-properties.delete',
    summary: 'Delete a contact property; contacts keep their values',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    resource: 'contactProperty',
    audited: true,
    tag: 'Contact properties',
    http: { method: 'DELETE', path: '/v1/contact-properties/{propertyId}', status: 200 },
    input: z.strictObject({ propertyId: idSchema('contactProperty') }),
    output: z.object({ deleted: z.literal(true) }),
    faults: ['not_found', 'precondition_failed'],
  }),
};
