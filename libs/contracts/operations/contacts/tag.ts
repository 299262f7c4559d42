import { z } from 'zod';
import { defineOperation } from '../../operation.js';
import { forwardPagination, limitInput } from '../../page.js';
import { text } from '../../text.js';
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
};
