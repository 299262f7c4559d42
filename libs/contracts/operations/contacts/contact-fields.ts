import { z } from 'zod';
import { entriesAtMost } from '../../entries-at-most.js';
import { idSchema } from '../../ids.js';
import { email, inputTimestamp, text, timestamp } from '../../text.js';
import type { PropertyValue } from './property-type.js';

export const contactStatuses = ['subscribed', 'unsubscribed'] as const;

/** Name of a contact property; key in `properties` of a contact. */
export const propertyName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_]{0,63}$/,
    'must be a letter followed by up to 63 letters, digits or underscores',
  );

/** Maximum number of tags of a contact. */
export const tagsMax = 100;

export const contactStatus = z.enum(contactStatuses);
const name = text(0, 256);
/** Name of a tag. */
export const tagName = text(1, 64);
const tags = z
  .array(tagName)
  .max(tagsMax)
  .transform((all) => [...new Set(all)])
  .meta({ description: 'Duplicates are removed. Order is preserved.' });
/** A value of a property in a text: a condition of a filter has no other. */
export const propertyText = text(0, 4096);
/** Of doubles, those beyond are integers that are not exact. */
const number = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
/** The service checks whether it is of the type that the property has. */
const propertyValue = z.union([propertyText, number, z.boolean()], {
  error: ({ errors }) =>
    (errors as z.core.$ZodIssue[][]).flat().find(({ code }) => code !== 'invalid_type')?.message ??
    'must be a string, a number or a boolean',
});
/** A value of a property in a result. */
export const storedPropertyValue = z.union([z.string(), z.number(), z.boolean()]);
/** Bounds of one contact, as JSON without spaces, after an update too: 100 of them fit into one NATS message. */
export const contactLimits = { properties: 100, bytes: 10_000 };

/** The size of the contact is checked when it is written. */
const propertiesOf = <Value extends z.ZodType<PropertyValue | null>>(value: Value) =>
  entriesAtMost(contactLimits.properties, z.record(propertyName, value)).refine(hasFewBytes, {
    error: ({ input }) =>
      `must be at most ${contactLimits.bytes} bytes of JSON, not ${propertyBytes(input as Properties)}`,
  });

type Properties = Record<string, PropertyValue | null>;

/** Bytes of the properties as JSON without spaces. */
const propertyBytes = (properties: Properties): number =>
  Buffer.byteLength(JSON.stringify(properties));

/** A character takes six bytes at most, of a control character's escape, and a number 24: few properties need no exact count. */
function hasFewBytes(properties: Properties): boolean {
  let bytesMax = 2;
  for (const name in properties) {
    const value = properties[name];
    bytesMax += name.length + 6 * (typeof value === 'string' ? value.length : 4) + 6;
  }
  return bytesMax <= contactLimits.bytes || propertyBytes(properties) <= contactLimits.bytes;
}

/** ID of a contact in another system: any text without control characters. */
export const externalId = text(1, 128)
  .refine((given) => !/\p{Cc}/u.test(given), { error: 'must not contain control characters' })
  .meta({ examples: ['crm-1234'] });

/** A contact as it is returned. */
export const contact = z
  .object({
    id: idSchema('contact'),
    email: z.string().meta({ format: 'idn-email' }),
    name: z.string(),
    createdAt: timestamp,
    tags: z.array(z.string()).meta({ maxItems: tagsMax }),
    properties: z.record(z.string(), storedPropertyValue),
    status: contactStatus,
    updatedAt: timestamp.meta({
      description:
        'Time of the last change, with microseconds. Of two changes in a workspace, the one that became visible later has the later time, whatever clocks do.',
      examples: ['2026-01-31T09:00:00.000001Z'],
    }),
    version: z.int().meta({ description: '1, and one more with each change.' }),
    externalId: z.string().nullable().meta({
      description:
        'ID of the contact in another system, unique within the workspace; null if it has none.',
    }),
    unsubscribeUrl: z.url().nullable().optional().meta({
      description:
        'Address at which the contact can unsubscribe, without a key. Present with `include=unsubscribeUrl`; null if the installation has no public address.',
    }),
  })
  .meta({ id: 'Contact' });

/** Beside the fields of a contact. Whoever sends it must be allowed `contacts.resubscribe`. */
export const resubscribe = z.boolean().optional().meta({
  description:
    'Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the scope `user`, and is recorded in the audit log.',
});

/** Fields of a new contact. */
export const newContactFields = {
  email,
  name: name.default(''),
  tags: tags.default([]),
  properties: propertiesOf(propertyValue)
    .default({})
    .meta({ description: `The contact may have ${contactLimits.bytes} bytes of JSON.` }),
  status: contactStatus.optional().meta({ description: '`subscribed` by default.' }),
  resubscribe,
  externalId: externalId.nullable().optional().meta({
    description:
      'ID of the contact in another system, at most 128 characters, unique within the workspace.',
  }),
};

const ignored = 'Ignored: `If-Match` makes a change depend on the version.';

/** Fields that every change sets. They are accepted, so that a contact can be sent as it was returned. */
const ignoredContactFields = {
  updatedAt: inputTimestamp.optional().meta({ description: ignored }),
  version: z.int().min(1).optional().meta({ description: ignored }),
};

/**
 * Fields that an update does not change, and a status that it changes in one direction only. They are accepted with their stored
 * values, so that a contact can be sent as it was returned.
 */
export const storedContactFields = {
  id: idSchema('contact').optional().meta({ description: 'Must be the stored value.' }),
  createdAt: inputTimestamp.optional().meta({ description: 'Must be the stored value.' }),
  status: contactStatus.optional().meta({
    description:
      '`unsubscribed` unsubscribes the contact. `subscribed` leaves an unsubscribed contact as it is, and the response has a notice: `/resubscribe` changes it.',
  }),
  ...ignoredContactFields,
  resubscribe,
};

/** Fields that an update changes, if they are given. */
export const contactChanges = {
  name: name.optional(),
  tags: tags.optional().meta({ description: 'Replaces all tags. Duplicates are removed.' }),
  properties: propertiesOf(propertyValue.nullable())
    .optional()
    .meta({
      description: `Merged into the existing properties. A null value removes the property. The contact may then have ${contactLimits.properties} properties and ${contactLimits.bytes} bytes of JSON.`,
    }),
  addTags: tags.optional().meta({
    description: `Tags to add after the others. Not together with \`tags\`. The contact may then have ${tagsMax} tags.`,
  }),
  removeTags: tags.optional().meta({
    description: 'Tags to remove, if the contact has them. Not together with `tags`.',
  }),
  externalId: externalId.nullable().optional().meta({
    description:
      'ID of the contact in another system, at most 128 characters, unique within the workspace. Null removes it.',
  }),
};

interface TagChanges {
  tags?: string[] | undefined;
  addTags?: string[] | undefined;
  removeTags?: string[] | undefined;
}

/** What changes of tags exclude. */
export const withTagChanges = <Schema extends z.ZodType<TagChanges>>(schema: Schema): Schema =>
  schema.check(({ value: input, issues }) => {
    const { tags: all, addTags, removeTags } = input;
    if (addTags === undefined && removeTags === undefined) return;
    const refuse = (name: string, message: string) =>
      issues.push({ code: 'custom', input, path: [name], message });
    for (const [name, some] of Object.entries({ addTags, removeTags }))
      if (all && some) refuse(name, 'must not be sent together with `tags`');
    if (addTags?.some((tag) => removeTags?.includes(tag)))
      refuse('removeTags', 'must not contain a tag of `addTags`');
  });

interface Named {
  email?: string | undefined;
  externalId?: string | null | undefined;
}

/** An upsert names a contact by its address, or by its external ID. */
export const withName = <Schema extends z.ZodType<Named>>(schema: Schema): Schema =>
  schema.superRefine((given, context) => {
    if (given.email === undefined && typeof given.externalId !== 'string')
      context.addIssue({
        code: 'custom',
        path: ['email'],
        message: 'is required',
      });
  });

const storedIfExists = 'Must be the stored value of an existing contact. Rejected for a new one.';

/** Fields of a contact that is created, or updated if the email address has one. */
export const upsertedContactFields = {
  email: email.optional().meta({
    description:
      'Address of the contact, ignoring case. A contact with this address keeps its spelling. Required unless `externalId` names an existing contact, whose address it changes.',
  }),
  ...contactChanges,
  externalId: externalId.nullable().optional().meta({
    description:
      'ID of the contact in another system. A contact that has it is updated; otherwise the one with the address gets it, or the new one.',
  }),
  id: idSchema('contact').optional().meta({ description: storedIfExists }),
  createdAt: inputTimestamp.optional().meta({ description: storedIfExists }),
  status: contactStatus.optional().meta({
    description:
      'Status of a new contact. `unsubscribed` unsubscribes an existing one. `subscribed` leaves an unsubscribed contact as it is, and the response has a notice: `/resubscribe` changes it.',
  }),
  ...ignoredContactFields,
  resubscribe,
};
