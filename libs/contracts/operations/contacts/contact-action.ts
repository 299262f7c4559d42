import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { text, timestamp } from '../../text.js';
import { contactChanges, tagsMax, withTagChanges } from './contact-fields.js';
import { contactFilterFields } from './contact-filter.js';

/**
 * Bounds of actions on many contacts. `active` is the number of a workspace that have not ended. The others bound what is stored of
 * one: 100 of them fit into one NATS message.
 */
export const contactActionLimits = {
  active: 4,
  contacts: 1000,
  filterBytes: 4000,
  changeBytes: 4000,
  failures: 5,
} as const;

export const contactActionStatuses = [
  'queued',
  'running',
  'completed',
  'cancelled',
  'failed',
] as const;

/** Position of an action in the order of creation. */
export const contactActionCursor = idCursor('contactAction');

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const hasAtMost = (bytesMax: number) =>
  [
    (value: unknown) => bytesOf(value) <= bytesMax,
    { error: `must be at most ${bytesMax} bytes of JSON` },
  ] as const;

const { sort: _, ...filterFields } = contactFilterFields;
const filter = z.strictObject(filterFields).refine(...hasAtMost(contactActionLimits.filterBytes));

/** Without a transformation, which would leave the change without an example. */
const tags = (description: string) =>
  z
    .array(text(1, 64))
    .max(tagsMax)
    .overwrite((all) => [...new Set(all)])
    .optional()
    .meta({ description });

const change = withTagChanges(
  z.strictObject({
    addTags: tags(`Tags to add after the others. A contact may then have ${tagsMax} tags.`),
    removeTags: tags('Tags to remove from contacts that have them.'),
    status: z
      .enum(['unsubscribed'], {
        error:
          'must be unsubscribed: only POST /v1/contacts/{contactId}/resubscribe subscribes a contact again',
      })
      .optional()
      .meta({ description: 'Unsubscribes the contacts.' }),
    properties: contactChanges.properties,
    delete: z
      .literal(true)
      .optional()
      .meta({ description: 'Deletes the contacts. Without any other field.' }),
  }),
)
  .superRefine(({ delete: isDeletion, ...others }, context) => {
    const isEmpty = Object.keys(others).length === 0;
    if (isEmpty && !isDeletion)
      context.addIssue({ code: 'custom', message: 'must contain at least one change' });
    if (!isEmpty && isDeletion)
      context.addIssue({ code: 'custom', path: ['delete'], message: 'must be the only change' });
  })
  .refine(...hasAtMost(contactActionLimits.changeBytes))
  .meta({
    description: 'What is done with each contact: one field at least.',
    examples: [{ addTags: ['newsletter'] }],
  });
export type ContactChange = z.output<typeof change>;

const count = (description: string) => z.int().meta({ description });

export const contactActionShape = z
  .object({
    id: idSchema('contactAction'),
    status: z.enum(contactActionStatuses),
    filter: z.record(z.string(), z.unknown()).meta({ description: 'As it was given.' }),
    change: z.record(z.string(), z.unknown()).meta({ description: 'As it was given.' }),
    dryRun: z.boolean(),
    total: count(
      'Number of contacts of the workspace, or of those that were named, when the action was created.',
    ),
    examined: count(
      'Number of contacts that were examined: of `total`, unless some were deleted meanwhile.',
    ),
    matched: count('Number of contacts that match, of those that were examined.'),
    changed: count('Number of contacts that were changed, or deleted.'),
    unchanged: count('Number of contacts that were already as the change makes them.'),
    failed: count('Number of contacts that were refused, and left as they were.'),
    failures: z.array(z.object({ contactId: idSchema('contact'), message: z.string() })).meta({
      maxItems: contactActionLimits.failures,
      description: 'The first contacts that were refused, with the reasons.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why an action with the status `failed` failed. Otherwise null.' }),
    createdAt: timestamp,
    endedAt: timestamp.nullable().meta({ description: 'Null until the action has ended.' }),
  })
  .meta({ id: 'ContactAction' });

const actionId = idSchema('contactAction');
const one = z.object({ action: contactActionShape });
const tag = 'Contacts';

/** To create one requires both scopes: it selects contacts as a list does, and changes them. */
export const contactActionOperations = {
  'contact-actions.create': defineOperation({
    name: 'contact-actions.create',
    summary: 'Change or delete all contacts that match a filter',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    audited: true,
    tag,
    http: { method: 'POST', path: '/v1/contacts/actions', status: 202 },
    input: z.strictObject({
      filter: filter.meta({
        description:
          'Which contacts, with the fields and conditions of a list: `{"tag": ["any:vip,customer"]}`. `{}` means all contacts.',
        examples: [{ tag: ['any:vip,customer'] }],
      }),
      contactIds: z
        .array(idSchema('contact'))
        .min(1)
        .max(contactActionLimits.contacts)
        .optional()
        .meta({ description: 'Only these contacts, if they match. Unknown IDs are ignored.' }),
      change,
      dryRun: z
        .boolean()
        .default(false)
        .meta({ description: 'Count the outcomes without changing contacts.' }),
    }),
    output: one,
    faults: ['limit_reached'],
  }),
  'contact-actions.list': defineOperation({
    name: 'contact-actions.list',
    summary: 'List actions on contacts, newest first',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/contacts/actions', status: 200 },
    input: z.strictObject({ limit: limitInput('actions'), after: afterInput }),
    output: z.object({ actions: z.array(contactActionShape), pagination: forwardPagination }),
    faults: [],
  }),
  'contact-actions.get': defineOperation({
    name: 'contact-actions.get',
    summary: 'Get the progress of an action on contacts',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    resource: 'contactAction',
    tag,
    http: {
      method: 'GET',
      path: '/v1/contacts/actions/{actionId}',
      status: 200,
      etag: { maintained: [] },
    },
    input: z.strictObject({ actionId }),
    output: one,
    faults: ['not_found'],
  }),
  'contact-actions.cancel': defineOperation({
    name: 'contact-actions.cancel',
    summary: 'Cancel an action on contacts; changes already made are kept',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    audited: true,
    resource: 'contactAction',
    tag,
    http: { method: 'POST', path: '/v1/contacts/actions/{actionId}/cancel', status: 200 },
    input: z.strictObject({ actionId }),
    output: one,
    faults: ['not_found'],
  }),
};
