import { Command } from '@commander-js/extra-typings';
import type { Import } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { writeFile } from './export-contacts.js';
import { first, pageLimit, wholeNumber } from './values.js';

export const imports = (run: Run) =>
  new Command('imports')
    .description('Imports, which `roster contacts import` starts.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(errors(run))
    .addCommand(cancel(run));

const columns: readonly Column<Import>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'status', of: ({ status }) => status },
  { name: 'done', of: ({ done }) => done, align: 'right' },
  { name: 'total', of: ({ total }) => total, align: 'right' },
  { name: 'created', of: ({ created }) => created, align: 'right' },
  { name: 'updated', of: ({ updated }) => updated, align: 'right' },
  { name: 'refused', of: ({ failed }) => failed, align: 'right' },
  { name: 'started', of: ({ createdAt }) => createdAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List imports, newest first.')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit }) => {
          const rows = roster.imports.list({ limit: pageLimit(limit) }, { signal });
          await output.list(first(rows, limit), columns, 'There is no import.');
        }),
      ),
    'roster imports list --limit 5',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show the progress of an import.')
      .argument('<import>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.imports.get(id, { signal })),
        ),
      ),
    'roster imports get imp_…',
  );

const errors = (run: Run) =>
  withExamples(
    new Command('errors')
      .description('Write the refused rows of an import with the reasons, as a file of CSV.')
      .argument('<import>', 'ID')
      .option('-o, --output <file>', 'file to write; standard output by default')
      .action(
        run(async ({ roster, output, signal }, id, { output: file }) => {
          const bytes = roster.imports.listErrors(id, {}, { signal });
          if (file !== undefined) return writeFile(file, bytes, signal);
          for await (const chunk of bytes) await output.write(chunk);
        }),
      ),
    'roster imports errors imp_… --output errors.csv',
  );

const cancel = (run: Run) =>
  withExamples(
    new Command('cancel')
      .description('Cancel an import. Rows that are handled already are kept.')
      .argument('<import>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.imports.cancel(id, { signal })),
        ),
      ),
    'roster imports cancel imp_…',
  );
