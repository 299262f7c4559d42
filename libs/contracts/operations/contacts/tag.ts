import { z } from 'zod';
import { defineOperation } from '../../operation.js';
import { forwardPagination, limitInput } from '../../page.js';
import { text } from '../../text.js';
import { contactActionShape } from './contact-action.js';
import { tagName } from './contact-fields.js';

const tag = z
  .object({
    name: z.string().meta({ examples: ['customer'] }),
    contacts: z.int().meta({ description: 'Number of contacts with the tag.', examples: [1204] }),
  })
  .meta({ id: 'Tag' });

/** A name in base64url: 64 characters have up to 256 bytes. */
const cursorMax = 342;

/** Position in the list of tags. */
export const tagCursor = {
  of: (name: string): string => Buffer.from(name).toString('base64url'),
  /** Undefined if the text is not a cursor. */
  read(cursor: string): string | undefined {
    const name = Buffer.from(cursor, 'base64url').toString();
    return tagCursor.of(name) === cursor && tagName.safeParse(name).success ? name : undefined;
  },
};

const path = '/v1/tags/{tag}';
const named = tagName.meta({ description: 'Name of the tag.', examples: ['customer'] });
const dryRun = z
  .boolean()
  .default(false)
  .meta({ description: 'Count the contacts without changing them.' });

/** The action that changes the contacts with the tag, as `contact-actions.create` returns it. */
const output = z.object({ action: contactActionShape });
const createdIn = '/v1/contacts/actions';

export const tagOperations = {
  'tags.list': defineOperation({
    name: 'tags.list',
    summary: 'List the tags of contacts',
    service: 'contacts',
    access: 'read',
    scope: 'api_user',
    tag: 'Tags',
    http: { method: 'GET', path: '/v1/tags', status: 200 },
    input: z.strictObject({
      limit: limitInput('tags'),
      after: z
        .string()
        .max(cursorMax)
        .optional()
        .meta({ description: 'Cursor: `pagination.next` of the previous page.' }),
      prefix: text(1, 64).optional().meta({
        description: 'Only tags that begin with this text, in the same case.',
      }),
    }),
    output: z.object({ tags: z.array(tag), pagination: forwardPagination }),
    faults: [],
  }),
  'tags.rename': defineOperation({
    name: 'tags.rename',
    summary: 'Rename a tag, or merge it into another',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    audited: true,
    tag: 'Tags',
    http: { method: 'PUT', path, status: 202, createdIn },
    input: z
      .strictObject({
        tag: named,
        name: tagName.meta({
          description: 'New name. If contacts have a tag of this name, both become one.',
          examples: ['client'],
        }),
        dryRun,
      })
      .refine(({ tag, name }) => tag !== name, {
        path: ['name'],
        error: 'must not be the name that the tag has',
      }),
    output,
    faults: ['not_found', 'limit_reached'],
  }),
  'tags.delete': defineOperation({
    name: 'tags.delete',
    summary: 'Remove a tag from all contacts',
    service: 'contacts',
    access: 'write',
    scope: 'api_user',
    alsoScope: 'user',
    audited: true,
    tag: 'Tags',
    http: { method: 'DELETE', path, status: 202, createdIn },
    input: z.strictObject({ tag: named, dryRun }),
    output,
    faults: ['not_found', 'limit_reached'],
  }),
};
