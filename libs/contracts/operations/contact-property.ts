import { z } from 'zod';
import { propertyName } from './contact.js';
import { idSchema } from '../ids.js';
import { defineOperation } from '../operation.js';
import { text, timestamp } from '../text.js';

const listed = z
  .object({
    id: idSchema('contactProperty'),
    name: z.string(),
    label: z.string(),
    type: z.literal('string'),
    createdAt: timestamp,
  })
  .meta({ id: 'ContactPropertyListed' });

export const contactProperty = listed
  .extend({ description: z.string().optional() })
  .meta({ id: 'ContactProperty' });

const label = text(1, 128);
const description = text(0, 1024);
const one = z.object({ property: contactProperty });

export const contactPropertyOperations = {
  'contact-properties.list': defineOperation({
    name: 'contact-properties.list',
    summary: 'List contact properties',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    tag: 'Contact properties',
    http: { method: 'GET', path: '/v1/contact-properties', status: 200 },
    input: z.strictObject({}),
    output: z.object({ properties: z.array(listed) }),
    faults: [],
  }),
  'contact-properties.get': defineOperation({
    name: 'contact-properties.get',
    summary: 'Get a contact property, with its description',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    resource: 'contactProperty',
    input: z.strictObject({ propertyId: idSchema('contactProperty') }),
    output: one,
    faults: ['not_found'],
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
      type: z.literal('string').default('string'),
      description: description.optional(),
    }),
    output: one,
    faults: ['conflict'],
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
    }),
    output: one,
    faults: ['not_found'],
  }),
};
