import { Command } from '@commander-js/extra-typings';
import type { User } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { first, pageLimit, wholeNumber } from './values.js';

export const users = (run: Run) =>
  new Command('users')
    .description('Users of the workspace.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(create(run))
    .addCommand(remove(run));

const columns: readonly Column<User>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'email', of: ({ email }) => email },
  { name: 'name', of: ({ name }) => name },
  { name: 'last access', of: ({ lastAccessedAt }) => lastAccessedAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List users.')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit }) => {
          const rows = roster.users.list({ limit: pageLimit(limit) }, { signal });
          await output.list(first(rows, limit), columns);
        }),
      ),
    'roster users list',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show a user.')
      .argument('<user>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.users.get(id, { signal })),
        ),
      ),
    'roster users get usr_…',
  );

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Create a user.')
      .argument('<email>')
      .requiredOption('--name <name>', 'name')
      .action(
        run(async ({ roster, output, signal }, email, { name }) =>
          output.item(await roster.users.create({ email, name }, { signal })),
        ),
      ),
    'roster users create grace@example.com --name "Grace Hopper"',
  );

const remove = (run: Run) =>
  withExamples(
    new Command('delete')
      .description('Delete a user with all of their API keys.')
      .argument('<user>', 'ID')
      .action(
        run(async ({ roster, output, signal, confirm }, id) => {
          await confirm(`Delete the user ${id} with all of their API keys?`);
          await output.done(`Deleted ${id}.`, await roster.users.delete(id, { signal }));
        }),
      ),
    'roster users delete usr_… --yes',
  );
