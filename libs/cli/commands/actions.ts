import { Command } from '@commander-js/extra-typings';
import type { ContactAction } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { first, pageLimit, wholeNumber } from './values.js';

export const actions = (run: Run) =>
  new Command('actions')
    .description('Actions on many contacts, which `roster contacts act` starts.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(cancel(run));

const columns: readonly Column<ContactAction>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'status', of: ({ status, dryRun }) => (dryRun ? `${status} (dry run)` : status) },
  { name: 'change', of: ({ change }) => Object.keys(change) },
  { name: 'examined', of: ({ examined }) => examined, align: 'right' },
  { name: 'matched', of: ({ matched }) => matched, align: 'right' },
  { name: 'changed', of: ({ changed }) => changed, align: 'right' },
  { name: 'refused', of: ({ failed }) => failed, align: 'right' },
  { name: 'started', of: ({ createdAt }) => createdAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List actions on contacts, newest first.')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit }) => {
          const rows = roster.contactActions.list({ limit: pageLimit(limit) }, { signal });
          await output.list(first(rows, limit), columns, 'There is no action.');
        }),
      ),
    'roster actions list --limit 5',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show the progress of an action.')
      .argument('<action>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.contactActions.get(id, { signal })),
        ),
      ),
    'roster actions get act_…',
  );

const cancel = (run: Run) =>
  withExamples(
    new Command('cancel')
      .description('Cancel an action. Changes that are made already are kept.')
      .argument('<action>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.contactActions.cancel(id, { signal })),
        ),
      ),
    'roster actions cancel act_…',
  );
