import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { deleteTag, renameTag } from './change-tags.js';
import { withExamples } from './examples.js';
import { first, given, pageLimit, wholeNumber } from './values.js';

export const tags = (run: Run) =>
  new Command('tags')
    .description('Tags of contacts.')
    .addCommand(list(run))
    .addCommand(renameTag(run))
    .addCommand(deleteTag(run));

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List the tags with the number of their contacts.')
      .option('--prefix <text>', 'only those that begin with it, in the same case')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit, prefix }) => {
          const query = given({ prefix, limit: pageLimit(limit) });
          await output.list(
            first(roster.tags.list(query, { signal }), limit),
            [
              { name: 'tag', of: ({ name }) => name },
              { name: 'contacts', of: ({ contacts }) => contacts, align: 'right' },
            ],
            prefix === undefined ? 'No contact has a tag.' : 'No tag matches.',
          );
        }),
      ),
    'roster tags list',
    'roster tags list --prefix v',
  );
