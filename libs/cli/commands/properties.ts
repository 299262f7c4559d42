import { Command, Option } from '@commander-js/extra-typings';
import type { ContactPropertyListed } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { given } from './values.js';

export const properties = (run: Run) =>
  new Command('properties')
    .description('Definitions of the properties that contacts can have.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(create(run))
    .addCommand(update(run))
    .addCommand(remove(run));

const columns: readonly Column<ContactPropertyListed>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'name', of: ({ name }) => name },
  { name: 'label', of: ({ label }) => label },
  { name: 'type', of: ({ type }) => type },
  { name: 'created', of: ({ createdAt }) => createdAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List contact properties.')
      .action(
        run(async ({ roster, output, signal }) =>
          output.list(
            roster.contactProperties.list({}, { signal }),
            columns,
            'No contact property is defined.',
          ),
        ),
      ),
    'roster properties list',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show a contact property, with its description.')
      .argument('<property>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.contactProperties.get(id, { signal })),
        ),
      ),
    'roster properties get prop_…',
  );

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Define a contact property.')
      .argument('<name>')
      .option('--label <label>', 'label; the name by default')
      .option('--description <text>', 'description')
      .addOption(type('type of the values; string by default'))
      .action(
        run(async ({ roster, output, signal }, name, { label = name, ...fields }) => {
          const input = given({ name, label, ...fields });
          await output.item(await roster.contactProperties.create(input, { signal }));
        }),
      ),
    'roster properties create city --label City',
    'roster properties create age --type number',
  );

const type = (description: string) =>
  new Option('--type <type>', description).choices([
    'string',
    'number',
    'boolean',
    'date',
  ] as const);

const update = (run: Run) =>
  withExamples(
    new Command('update')
      .description('Change the label, the description or the type of a contact property.')
      .argument('<property>', 'ID')
      .option('--label <label>', 'label')
      .option('--description <text>', 'description')
      .addOption(type('type, which no value must contradict; others are converted'))
      .option('--dry-run', 'change nothing, and show what --type would do')
      .action(
        run(async ({ roster, output, signal }, id, fields) =>
          output.item(await roster.contactProperties.update(id, given(fields), { signal })),
        ),
      ),
    'roster properties update prop_… --label Town',
    'roster properties update prop_… --type date --dry-run',
  );

const remove = (run: Run) =>
  withExamples(
    new Command('delete')
      .description('Delete a contact property. Contacts keep their values.')
      .argument('<property>', 'ID')
      .action(
        run(async ({ roster, output, signal, confirm }, id) => {
          await confirm(`Delete the contact property ${id}?`);
          await output.done(
            `Deleted ${id}.`,
            await roster.contactProperties.delete(id, { signal }),
          );
        }),
      ),
    'roster properties delete prop_… --yes',
  );
